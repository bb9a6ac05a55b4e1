package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.config.model.Configuration;
import sluice.config.model.Credentials;
import sluice.config.model.ListenerAuthConfig;
import sluice.config.model.PoolAuthConfig;
import sluice.config.problems.Problem;

/** The files that {@code auth} sections name. */
class AuthFilesTest {
  @TempDir Path directory;

  private void write(String file, String content) throws IOException {
    Files.write(directory.resolve(file), content.getBytes(StandardCharsets.ISO_8859_1));
  }

  private LoadResult load() {
    return Loader.parse(
        directory,
        """
        listeners: {a: {bind: 127.0.0.1:0, route: r, auth: {users: users.txt}}}
        routes: {r: [{pool: p}]}
        pools: {p: {servers: [h:1], auth: {user: app, passwordFile: secret}}}
        """);
  }

  private List<String> problems() {
    return load().problems().stream().map(Problem::toString).toList();
  }

  @Test
  void shouldReadFilesBesideTheConfigurationAndShowNothingOfThem() throws IOException {
    write("users.txt", "alice:s3cr3t: with all\r\n\r\nbob:hunter2\nbob:hunter3");
    write("secret", "pass word\n");
    assertThat(problems()).isEmpty();
    Configuration configuration = load().configuration();
    assertThat(configuration.listeners().get("a").auth())
        .contains(
            new ListenerAuthConfig(
                "users.txt",
                List.of(
                    new Credentials("alice", "s3cr3t: with all"),
                    new Credentials("bob", "hunter2"),
                    new Credentials("bob", "hunter3"))));
    assertThat(configuration.pools().get("p").auth())
        .contains(new PoolAuthConfig("secret", new Credentials("app", "pass word")));
    String shown = ConfigurationPrinter.toJson(configuration);
    assertThat(
            shown + configuration + " " + configuration.listeners() + " " + configuration.pools())
        .contains("users.txt", "\"passwordFile\" : \"secret\"".replace(" :", ":"), "app")
        .doesNotContain("s3cr3t", "hunter", "pass word");
  }

  @Test
  void shouldPrintWhatLoadsToTheSame() throws IOException {
    write("users.txt", "alice:s3cr3t");
    write("secret", "password");
    Configuration configuration = load().configuration();
    assertThat(Loader.parse(directory, ConfigurationPrinter.toYaml(configuration)).configuration())
        .isEqualTo(configuration);
    assertThat(Loader.parse(directory, ConfigurationPrinter.toJson(configuration)).configuration())
        .isEqualTo(configuration);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "nothing | '' | no user",
        "empty lines | '\\n\\n' | no user",
        "no colon | 'alice:a\\n\\nbobsecret\\n' | line 3 without a colon",
        "no name | ':secret' | line 1 with a user that is not 1 to 250 bytes without spaces and"
            + " control characters",
        "space in a name | 'a b:secret' | line 1 with a user that is not 1 to 250 bytes without"
            + " spaces and control characters",
        "no password | 'alice:' | line 1 with a password that is not 1 to 250 bytes without control"
            + " characters",
        "NUL in a password | 'alice:a\\0b' | line 1 with a password that is not 1 to 250 bytes"
            + " without control characters",
        "no UTF-8 | 'alice:\\377' | bytes that are not UTF-8"
      })
  void shouldSayWhatIsWrongWithUsersWhereTheyAreNamed(String name, String users, String problem)
      throws IOException {
    write("users.txt", users.translateEscapes());
    write("secret", "password");
    assertThat(problems())
        .containsExactly(
            "f:1:60: listeners.a.auth.users: found users.txt: "
                + problem
                + ", expected a file of lines user:password");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "nothing | '' | nothing",
        "an empty line | '\\n' | not 1 to 250 bytes without control characters",
        "two lines | 'a\\nb' | several lines",
        "a tab | 'a\\tb' | not 1 to 250 bytes without control characters",
        "no UTF-8 | '\\377' | bytes that are not UTF-8"
      })
  void shouldSayWhatIsWrongWithAPasswordWhereItIsNamed(String name, String secret, String problem)
      throws IOException {
    write("users.txt", "alice:secret");
    write("secret", secret.translateEscapes());
    assertThat(problems())
        .containsExactly(
            "f:3:61: pools.p.auth.passwordFile: found secret: "
                + problem
                + ", expected a file of one line, the password, of 1 to 250 bytes");
  }

  @Test
  void shouldTakeNamesAndPasswordsUpToTheirLimit() throws IOException {
    write("users.txt", "u".repeat(250) + ":" + "p".repeat(250));
    write("secret", "p".repeat(250));
    assertThat(problems()).isEmpty();
    write("users.txt", "u".repeat(251) + ":p");
    write("secret", "p".repeat(251));
    assertThat(problems()).hasSize(2).noneMatch(p -> p.contains("ppp") || p.contains("uuu"));
  }

  @Test
  void shouldNameFilesThatAreNotThere() {
    assertThat(problems())
        .containsExactly(
            "f:1:60: listeners.a.auth.users: found users.txt: no such file, expected a file of"
                + " lines user:password",
            "f:3:61: pools.p.auth.passwordFile: found secret: no such file, expected a file of one"
                + " line, the password, of 1 to 250 bytes");
  }

  @Test
  void shouldWarnOfPasswordsThatCrossTheNetworkUnencrypted() throws IOException {
    write("users.txt", "alice:s3cr3t");
    String yaml =
        """
        admin: {bind: "%s", auth: {users: users.txt}}
        listeners: {a: {bind: 127.0.0.1:0, route: r}}
        routes: {r: [{pool: p}]}
        pools: {p: {servers: [h:1]}}
        """;
    for (String local : List.of("127.0.0.1:9901", "[::1]:9901", "localhost:9901")) {
      LoadResult result = Loader.parse(directory, yaml.formatted(local));
      assertThat(result.problems()).isEmpty();
      assertThat(result.warnings()).isEmpty();
      assertThat(result.configuration().admin().auth())
          .contains(
              new ListenerAuthConfig("users.txt", List.of(new Credentials("alice", "s3cr3t"))));
    }
    assertThat(Loader.parse(directory, yaml.formatted("0.0.0.0:9901")).warnings())
        .singleElement()
        .asString()
        .isEqualTo(
            "f:1:37: admin.auth: found a mapping, expected admin.tls too: without it,"
                + " passwords cross the network unencrypted");
  }
}
