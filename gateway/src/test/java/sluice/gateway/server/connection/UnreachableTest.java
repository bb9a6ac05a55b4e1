package sluice.gateway.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ConnectTimeoutException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class UnreachableTest {
  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(
            new ConnectException(
                "finishConnect(..) failed with error(-111): Connection refused: /10.0.0.3:11211"),
            "connection refused"),
        Arguments.of(new ConnectException("Connection refused: /10.0.0.3:1"), "connection refused"),
        Arguments.of(new ClosedChannelException(), "connection closed"),
        Arguments.of(
            new ConnectException("connect(..) failed: Cannot assign requested address"),
            "no free local port"),
        Arguments.of(
            new ConnectTimeoutException("connection timed out after 1000 ms: /10.0.0.3:11211"),
            "connection timed out"),
        Arguments.of(new IOException("Connection reset by peer"), "connection reset"),
        Arguments.of(
            new NoRouteToHostException("No route to host: /10.0.0.3:1"), "no route to host"),
        Arguments.of(
            new ConnectException("connect(..) failed: Network is unreachable: /10.0.0.3:1"),
            "network unreachable"),
        Arguments.of(
            new UnknownHostException("Failed to resolve 'x.example' [A(1)]"), "name not resolved"),
        Arguments.of(
            new IOException("x", new UnknownHostException("no answer")), "name not resolved"),
        Arguments.of(
            new ConnectException("connect(..): No such file or directory"), "no such socket"),
        Arguments.of(new FileNotFoundException(), "no such socket"),
        Arguments.of(
            new IllegalStateException("java.nio.Something: /10.0.0.3"), "connection failed"),
        Arguments.of(new IOException(), "connection failed"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void shouldSayInStableWordsWhatIsWrong(Exception failure, String words) {
    assertThat(Unreachable.words(failure)).isEqualTo(words);
  }

  @Test
  void shouldLogThatASocketFileDoesNotExist() {
    assertThat(Unreachable.detail(new FileNotFoundException()))
        .isEqualTo("the socket file does not exist");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "finishConnect(..) failed with error(-111): Connection refused: /10.0.0.3:11211"
            + " | Connection refused: 10.0.0.3:11211",
        "connect(..) failed: Network is unreachable: /10.0.0.3:1"
            + " | Network is unreachable: 10.0.0.3:1",
        "connect(..): No such file or directory | No such file or directory",
        "Connection refused: cache.example/10.0.0.3:1"
            + " | Connection refused: cache.example/10.0.0.3:1",
        "Connection refused: /[::1]:1 | Connection refused: [::1]:1",
        "connection timed out after 1000 ms: /10.0.0.3:11211"
            + " | connection timed out after 1000 ms: 10.0.0.3:11211",
      })
  void shouldLogWhatIsKnownButNotTheSystemCall(String message, String logged) {
    assertThat(Unreachable.detail(new ConnectException(message))).isEqualTo(logged);
  }
}
