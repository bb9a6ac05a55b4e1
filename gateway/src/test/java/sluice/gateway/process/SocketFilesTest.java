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
  private static final String NO_SOCKET = "there is a file that is not a socket";

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
    assertThat(SocketFiles.makeRoom(path.toString())).isEmpty();
    assertThat(path).doesNotExist();
    assertThat(SocketFiles.makeRoom(path.toString())).isEmpty();
    listen(path).close();
  }

  @Test
  void shouldKeepTheSocketOfAProcessThatListens() throws Exception {
    Path path = directory.resolve("cache.sock");
    try (ServerSocketChannel living = listen(path)) {
      assertThat(SocketFiles.makeRoom(path.toString())).contains("Address already in use");
      assertThat(path).exists();
      assertThat(living.isOpen()).isTrue();
    }
  }

  @Test
  void shouldKeepWhatIsNoSocket() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "data");
    assertThat(SocketFiles.makeRoom(file.toString())).contains(NO_SOCKET);
    assertThat(SocketFiles.makeRoom(directory.toString())).contains(NO_SOCKET);
    Path pipe = directory.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    assertThat(SocketFiles.makeRoom(pipe.toString())).contains(NO_SOCKET);
    assertThat(pipe).exists();
    assertThat(file).hasContent("data");
    Path link = directory.resolve("link");
    listen(directory.resolve("target.sock")).close();
    Files.createSymbolicLink(link, directory.resolve("target.sock"));
    assertThat(SocketFiles.makeRoom(link.toString())).contains(NO_SOCKET);
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
