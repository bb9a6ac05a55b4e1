package sluice.gateway.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KernelTimeTest {
  @ParameterizedTest
  @CsvSource({
    "-1, 0000000000000000, 0 0 4294967295, true",
    "1, 0000000000000000, 0 0 4294967295, true",
    "2, 0000000000000000, 0 0 4294967295, false",
    "4, 0000000000000000, 0 0 4294967295, false",
    "2, 000001fffeffffff, 0 0 4294967295, true",
    "2, 0000004000000000, 0 0 4294967295, true",
    "2, 00000000a80425fb, 0 0 4294967295, false", // root in a container
    "2, 000001ffffffffff, 0 100000 65536, false" // root in a user namespace
  })
  void shouldBeCountedForWhoeverMaySeeTheKernel(
      String paranoid, String capabilities, String users, boolean counted) {
    String status = "Name:\tjava\nCapPrm:\t000001ffffffffff\nCapEff:\t" + capabilities + "\n";
    String[] map = users.split(" ");
    String aligned = "%10s %10s %10s\n".formatted((Object[]) map);
    assertThat(KernelTime.isCounted(paranoid + "\n", status, aligned)).isEqualTo(counted);
  }

  @Test
  void shouldReadASettingOfMoreThanOneCharacter() throws Exception {
    String digits = KernelTime.setting(Path.of("/proc/sys/kernel/pid_max")).strip();
    assertThat(Integer.parseInt(digits)).isGreaterThan(9);
  }
}
