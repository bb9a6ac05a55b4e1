package sluice.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SocketFilesTest {
  @TempDir private Path directory;

  private static ServerSocketChannel listen(Path path) throws Exception {
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    return channel.bind(UnixDomainSocketAddress.of(path));
  }

  @Test
  void shouldRemoveTheSocketOfAProcessThatIsGone() throws Exception {
    Path path = directory.resolve("cache.sock");
    listen(path).close(); // Java leaves the file, as a killed process does
    assertThat(path).exists();
    SocketFiles.removeStale(path.toString());
    assertThat(path).doesNotExist();
    SocketFiles.removeStale(path.toString());
    listen(path).close();
  }

  @Test
  void shouldKeepTheSocketOfAProcessThatListens() throws Exception {
    Path path = directory.resolve("cache.sock");
    try (ServerSocketChannel living = listen(path)) {
      SocketFiles.removeStale(path.toString());
      assertThat(path).exists();
      assertThat(living.isOpen()).isTrue();
    }
  }

  @Test
  void shouldKeepWhatIsNoSocket() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "data");
    SocketFiles.removeStale(file.toString());
    SocketFiles.removeStale(directory.toString());
    Path pipe = directory.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    SocketFiles.removeStale(pipe.toString());
    assertThat(pipe).exists();
    assertThat(file).hasContent("data");
    Path link = directory.resolve("link");
    listen(directory.resolve("target.sock")).close();
    Files.createSymbolicLink(link, directory.resolve("target.sock"));
    SocketFiles.removeStale(link.toString());
    assertThat(Files.isSymbolicLink(link)).isTrue();
  }

  @Test
  void shouldLetTheGroupConnect() throws Exception {
    Path path = directory.resolve("cache.sock");
    try (ServerSocketChannel living = listen(path)) {
      assertThat(living.isOpen()).isTrue();
      SocketFiles.share(path.toString());
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
          .isEqualTo("rw-rw----");
    }
  }
}
