package sluice.perf.simulation.system;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import org.jspecify.annotations.Nullable;

/** Options of a simulated channel. It takes all that TCP sockets have, and follows few. */
final class SimulatedConfig extends DefaultChannelConfig {
  private final Runnable readCleared;
  private boolean halfClosure;

  SimulatedConfig(Channel channel, Runnable readCleared) {
    super(channel);
    this.readCleared = readCleared;
  }

  boolean isAllowHalfClosure() {
    return halfClosure;
  }

  @Override
  @SuppressWarnings("unchecked")
  public <T> @Nullable T getOption(ChannelOption<T> option) {
    return option == ChannelOption.ALLOW_HALF_CLOSURE
        ? (T) Boolean.valueOf(halfClosure)
        : super.getOption(option);
  }

  @Override
  public <T> boolean setOption(ChannelOption<T> option, T value) {
    if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
      halfClosure = (Boolean) value;
      return true;
    }
    if (option != ChannelOption.ALLOCATOR) { // the default one, which counts what is not released
      super.setOption(option, value);
    }
    return true;
  }

  @Override
  protected void autoReadCleared() {
    readCleared.run();
  }
}
