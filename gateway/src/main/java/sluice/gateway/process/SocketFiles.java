package sluice.gateway.process;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files of Unix sockets. A process that is killed leaves them behind, and their paths cannot be
 * bound until they are removed.
 */
final class SocketFiles {
  private static final Logger LOG = LoggerFactory.getLogger(SocketFiles.class);

  // Of a file's mode: the bits of its type, and those of a socket (inode(7)).
  private static final int TYPE = 0170000;
  private static final int SOCKET = 0140000;

  private static final Set<PosixFilePermission> OWNER_AND_GROUP =
      PosixFilePermissions.fromString("rw-rw----");

  private SocketFiles() {}

  /**
   * Removes the file at path if it is a socket that no process listens on.
   *
   * @return why the path cannot be bound: anything else stays
   */
  static Optional<String> makeRoom(String name) {
    try {
      Path path = Path.of(name);
      if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
        return Optional.empty();
      }
      if (!isSocket(path)) {
        return Optional.of("there is a file that is not a socket");
      }
      if (isListening(path)) {
        return Optional.of("Address already in use");
      }
      Files.delete(path);
      LOG.info("removed {}: a socket that no process listens on", path);
      return Optional.empty();
    } catch (IOException | UnsupportedOperationException | InvalidPathException e) {
      return Optional.of("cannot tell whether it is in use: " + e.getMessage());
    }
  }

  /** Lets the owner and the group of a socket connect, with any umask: its mode becomes 0660. */
  static void share(String name) {
    try {
      Files.setPosixFilePermissions(Path.of(name), OWNER_AND_GROUP);
    } catch (IOException | UnsupportedOperationException | InvalidPathException e) {
      LOG.warn("cannot set the mode of {}: {}", name, e.getMessage());
    }
  }

  /** A pipe and a device are no regular files either, and refuse a connection as well. */
  private static boolean isSocket(Path path) throws IOException {
    return ((int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & TYPE)
        == SOCKET;
  }

  private static boolean isListening(Path path) throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.configureBlocking(false); // a listener whose queue is full is one, too
      channel.connect(UnixDomainSocketAddress.of(path));
      return true;
    } catch (ConnectException refused) {
      return false;
    }
  }
}
