package sluice.perf;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

@Timeout(60)
class MemcachedLoadTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @TempDir private Path directory;

  private int load(String... arguments) {
    try (PrintStream out = new PrintStream(said, true, UTF_8)) {
      return MemcachedLoad.run(out, arguments);
    }
  }

  private String said() {
    return said.toString(UTF_8);
  }

  @ParameterizedTest
  @CsvSource({
    "--dialect, latin, 'text, meta, binary or resp'",
    "--pid, self, the number of a process",
    "--connections, 0, 1 to 999999999",
    "--depth, many, 1 to 999999999",
    "--value, -1, 0 to 999999999",
    "--keys, 0, 1 to 999999999",
    "--keys-per-get, 0, 1 to 999999999",
    "--rate, -1, 0 or more",
    "--warm, soon, 0 or more",
    "--seconds, Infinity, 0 or more",
    "--requests, -1, a whole number",
    "--seed, 1.5, a whole number",
    "--tls, /nowhere, a file of PEM certificates"
  })
  void shouldRefuseAValueByItself(String option, String found, String expected) {
    assertThat(load("127.0.0.1:1", option, found)).isEqualTo(2);
    assertThat(said())
        .isEqualTo("MemcachedLoad: %s: found %s, expected %s\n", option, found, expected);
  }

  @ParameterizedTest
  @CsvSource({
    "--rate 100 --depth 16, --depth: found 16, 1 with --rate",
    "--sets 11, --sets: found 11, 0 to 10",
    "--keys-per-get 2 --dialect meta, --dialect: found meta, text with --keys-per-get",
  })
  void shouldRefuseWhatDoesNotGoTogether(String arguments, String found, String expected) {
    assertThat(load(("127.0.0.1:1 " + arguments).split(" "))).isEqualTo(2);
    assertThat(said()).isEqualTo("MemcachedLoad: %s, expected %s\n", found, expected);
  }

  @Test
  void shouldRefuseTlsOnAUnixSocket() throws Exception {
    Path certificate = directory.resolve("tls.crt");
    Files.write(certificate, certificate());
    assertThat(load("unix:/s", "--tls", certificate.toString())).isEqualTo(2);
    assertThat(said())
        .isEqualTo("MemcachedLoad: --tls: found %s, expected HOST:PORT with it\n", certificate);
  }

  private static byte[] certificate() throws Exception {
    return new CertificateBuilder()
        .subject("CN=localhost")
        .setIsCertificateAuthority(true)
        .buildSelfSigned()
        .getCertificatePEM()
        .getBytes(UTF_8);
  }

  @Test
  void shouldRefuseAnAddressThatIsNone() {
    assertThat(load("localhost")).isEqualTo(2);
    assertThat(said())
        .isEqualTo(
            "MemcachedLoad: ADDRESS: found localhost, expected a host and a port, such as"
                + " 127.0.0.1:11211, or unix:/PATH\n");
  }

  @Test
  void shouldSayHowItIsUsed() {
    assertThat(load()).isEqualTo(2);
    assertThat(load("127.0.0.1:1", "--depht", "1")).isEqualTo(2);
    assertThat(said().lines())
        .hasSize(2)
        .first()
        .asString()
        .startsWith(
            "MemcachedLoad: found MemcachedLoad, expected MemcachedLoad ADDRESS [--dialect ");
    assertThat(said())
        .contains(
            "MemcachedLoad: found MemcachedLoad 127.0.0.1:1 --depht 1, expected MemcachedLoad ");
  }

  @Test
  void shouldHelp() {
    assertThat(load("--help")).isZero();
    assertThat(said()).startsWith("usage: MemcachedLoad ADDRESS ").contains("--keys-per-get");
  }

  @Test
  void shouldNameEveryOptionInItsForm() {
    CommandSpec command = MemcachedLoad.commandLine(System.out).getCommandSpec();
    for (OptionSpec option : command.options()) {
      if (!option.usageHelp()) {
        assertThat(command.usageMessage().customSynopsis()[0])
            .contains("[" + option.longestName() + " ");
      }
    }
  }

  @Test
  void shouldFailWhenAReplyIsWrong() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Thread wrong = new Thread(() -> answerWrong(server));
      wrong.start();
      int code = load("127.0.0.1:" + server.getLocalPort(), "--connections", "1", "--keys", "1");
      assertThat(code).as(said()).isEqualTo(1);
      assertThat(said()).startsWith("FAILED: ");
      wrong.join();
    }
  }

  private static void answerWrong(ServerSocket server) {
    try (Socket client = server.accept()) {
      client.getInputStream().read();
      client.getOutputStream().write("NOT_STORED\r\n".getBytes(UTF_8));
      client.getInputStream().transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // it went away already
    }
  }
}
