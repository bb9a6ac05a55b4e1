package sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import org.junit.jupiter.api.Test;

/** What the product's own logging settings let through; the tests run with others. */
class LogSettingsTest {
  private static LoggerContext settings() throws Exception {
    LoggerContext context = new LoggerContext();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(LogSettingsTest.class.getResource("/logback.xml"));
    return context;
  }

  @Test
  void shouldPassWarningsOn() throws Exception {
    assertThat(settings().getLogger("io.netty.channel.DefaultChannelPipeline").isWarnEnabled())
        .isTrue();
    assertThat(settings().getLogger("sluice.gateway.cli.Main").isInfoEnabled()).isTrue();
  }

  /** There were up to 140 of them, each with an exception, in the second of one stop. */
  @Test
  void shouldNotWarnOfEachClientThatComesWhileAListenerCloses() throws Exception {
    assertThat(settings().getLogger("io.netty.bootstrap.ServerBootstrap").isWarnEnabled())
        .isFalse();
  }
}
