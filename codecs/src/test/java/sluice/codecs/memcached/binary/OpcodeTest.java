package sluice.codecs.memcached.binary;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OpcodeTest {
  private static Map<String, Integer> opcodes() throws IllegalAccessException {
    Map<String, Integer> opcodes = new LinkedHashMap<>();
    for (Field field : Opcode.class.getFields()) {
      if (!field.getName().startsWith("STATUS_")) {
        opcodes.put(field.getName(), field.getInt(null));
      }
    }
    return opcodes;
  }

  @Test
  void shouldHaveALoudFormForEveryQuietOne() throws IllegalAccessException {
    Map<String, Integer> opcodes = opcodes();
    assertThat(opcodes).containsKeys("GETQ", "GATKQ", "SETQ", "QUITQ");
    opcodes.forEach(
        (name, opcode) -> {
          boolean quiet = name.endsWith("Q");
          int loud = quiet ? opcodes.get(name.substring(0, name.length() - 1)) : opcode;
          assertThat(Opcode.loud(opcode)).as(name).isEqualTo(loud);
        });
  }

  @Test
  void shouldHaveNoTwoNamesForOneOpcode() throws IllegalAccessException {
    assertThat(opcodes().values()).doesNotHaveDuplicates();
  }

  @Test
  void shouldLeaveOpcodesAloneThatNobodyKnows() {
    for (int opcode = 0x25; opcode <= 0xff; opcode++) {
      assertThat(Opcode.loud(opcode)).isEqualTo(opcode);
    }
  }
}
