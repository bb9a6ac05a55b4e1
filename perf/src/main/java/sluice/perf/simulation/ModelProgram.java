package sluice.perf.simulation;

import org.jspecify.annotations.Nullable;
import sluice.gateway.time.Clocks;
import sluice.testkit.model.Lines;
import sluice.testkit.model.Model;
import sluice.testkit.model.ModelConnection;
import sluice.testkit.model.ModelWrites;

/** Model of a version of memcached, for text and meta requests. */
final class ModelProgram implements Program {
  private record ModelSession(ModelConnection connection) implements Session {
    @Override
    public byte[] receive(byte[] bytes) {
      return connection.receive(bytes);
    }

    @Override
    public boolean isClosed() {
      return connection.isClosed();
    }

    @Override
    public void close() {
      connection.close();
    }
  }

  private final Model model;

  ModelProgram(Lines lines, ModelWrites writes) {
    model = new Model(lines, Clocks.utc(), writes);
  }

  @Override
  public Session connect(int port) {
    return new ModelSession(model.connect(port));
  }

  @Override
  public byte @Nullable [] value(String key) {
    return model.value(key);
  }

  @Override
  public void close() {
    // nothing is left
  }
}
