package sluice.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import sluice.gateway.cli.Tool;

/** The file that registers the tool names an interface, which a compiler does not check. */
class LoadToolTest {
  @Test
  void shouldBeFoundByTheGatewaysMain() {
    List<Tool> tools =
        ServiceLoader.load(Tool.class).stream().map(ServiceLoader.Provider::get).toList();
    assertThat(tools).singleElement().isInstanceOf(LoadTool.class);
    assertThat(tools.get(0).name()).isEqualTo("load");
  }
}
