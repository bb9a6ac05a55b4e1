package sluice.gateway.process;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files of Unix sockets. A process that is killed leaves them behind, and their paths cannot be
 * bound until they are removed.
 */
final class SocketFiles {
  private static final Logger LOG = LoggerFactory.getLogger(SocketFiles.class);

  private static final Set<PosixFilePermission> OWNER_AND_GROUP =
      PosixFilePermissions.fromString("rw-rw----");

  private SocketFiles() {}

  /**
   * Removes the file at path if it is a socket that no process listens on. Anything else stays, and
   * binding the path then fails.
   */
  static void removeStale(Path path) {
    try {
      if (isSocket(path) && !isListening(path)) {
        Files.delete(path);
        LOG.info("removed {}: a socket that no process listens on", path);
      }
    } catch (IOException | UnsupportedOperationException e) {
      LOG.warn("cannot tell whether {} is in use: {}", path, e.getMessage());
    }
  }

  /** Lets the owner and the group of a socket connect, with any umask: its mode becomes 0660. */
  static void share(Path path) {
    try {
      Files.setPosixFilePermissions(path, OWNER_AND_GROUP);
    } catch (IOException | UnsupportedOperationException e) {
      LOG.warn("cannot set the mode of {}: {}", path, e.getMessage());
    }
  }

  private static boolean isSocket(Path path) throws IOException {
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS)
        && Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
            .isOther();
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
