package sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.math.BigInteger;
import java.security.SecureRandom;
import org.junit.jupiter.api.Tag;
import sluice.config.model.Credentials;
import sluice.gateway.listen.StoreChannel;
import sluice.gateway.metrics.Outcome;
import sluice.names.Command;

/** Who does not know the password gets nothing, whatever he sends, in two reads. */
@Tag("long") // its instrumentation would slow down every other test of the module
class LoginFuzzTest {
  private static final Credentials UNKNOWN =
      new Credentials("alice", new BigInteger(128, new SecureRandom()).toString(36));

  @FuzzTest(maxDuration = "60s")
  void shouldLetNobodyInByText(byte[] bytes) {
    talk(bytes, false);
  }

  @FuzzTest(maxDuration = "60s")
  void shouldLetNobodyInByBinary(byte[] bytes) {
    talk(bytes, true);
  }

  private static void talk(byte[] bytes, boolean binary) {
    try (StoreChannel channel = new StoreChannel(UNKNOWN)) {
      channel.readCut(bytes, binary ? 0x80 : 's');
      assertThat(channel.heard()).doesNotContain("STORED", "Authenticated", UNKNOWN.password());
      for (Command command : Command.values()) {
        boolean open = command == Command.VERSION || command == Command.SASL;
        assertThat(channel.requests(command, Outcome.OK) > 0 && !open).as("%s", command).isFalse();
        assertThat(channel.requests(command, Outcome.MISS)).as("%s", command).isZero();
      }
    }
  }
}
