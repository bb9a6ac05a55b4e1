package sluice.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A way to run the image as a container would be run: its own root, which is read-only, {@code
 * /tmp} in memory, nobody's user, no capabilities, the network of the machine.
 */
interface Confinement {
  int USER = 65532;

  /**
   * The command that runs the image.
   *
   * @param configuration a directory, seen as {@code /etc/sluice}
   * @param environment {@code NAME=value}
   * @param arguments behind the entry point
   */
  List<String> command(Path configuration, List<String> environment, List<String> arguments)
      throws IOException;

  /** The process that {@link #command} has become. */
  long pid(Process process) throws IOException;

  /**
   * The first that is possible here: a container runtime, which gets the file, else namespaces.
   *
   * @param root where the image is unpacked; mount points are added
   */
  static Optional<Confinement> find(ImageFile image, Path file, Path root) throws IOException {
    for (String runtime : List.of("podman", "docker")) {
      if (Command.of(runtime, "info").isPossible()
          && Command.of(runtime, "load", "-i", file.toString()).isPossible()) {
        return Optional.of(new Container(runtime, image.tag()));
      }
    }
    return namespaces("--mount").map(unshare -> new Namespaces(unshare, image, root));
  }

  /**
   * The command that makes namespaces of these kinds, a mount namespace among them, if one may
   * here.
   */
  static Optional<List<String>> namespaces(String... kinds) {
    // Root becomes the user later; whoever is somebody else already becomes it in a user namespace.
    for (List<String> user :
        List.of(
            List.<String>of(),
            List.of("--user", "--map-user=" + USER, "--map-group=" + USER, "--keep-caps"))) {
      List<String> unshare = new ArrayList<>(List.of("unshare"));
      unshare.addAll(user);
      unshare.addAll(List.of(kinds));
      List<String> trial = new ArrayList<>(unshare);
      trial.addAll(List.of("sh", "-c", "mount -t tmpfs tmpfs /tmp"));
      if (Command.of(trial).isPossible()) {
        return Optional.of(unshare);
      }
    }
    return Optional.empty();
  }

  /** In a container runtime. */
  record Container(String runtime, String tag) implements Confinement {
    private static final String NAME = "sluice-image-test-" + ProcessHandle.current().pid();

    @Override
    public List<String> command(
        Path configuration, List<String> environment, List<String> arguments) {
      List<String> words = new ArrayList<>();
      words.addAll(
          List.of(runtime, "run", "--rm", "--name", NAME, "--network", "host", "--read-only"));
      words.addAll(List.of("--tmpfs", "/tmp:exec", "--cap-drop", "ALL"));
      words.addAll(List.of("--security-opt", "no-new-privileges"));
      words.addAll(List.of("-v", configuration + ":/etc/sluice:ro"));
      environment.forEach(variable -> words.addAll(List.of("-e", variable)));
      words.add(tag);
      words.addAll(arguments);
      return words;
    }

    @Override
    public long pid(Process process) throws IOException {
      return Long.parseLong(
          Command.of(runtime, "inspect", "--format", "{{.State.Pid}}", NAME).succeeds().strip());
    }
  }

  /** In namespaces of the test's own: what a runtime does, by util-linux. */
  record Namespaces(List<String> unshare, ImageFile image, Path root) implements Confinement {
    /**
     * $0 is the root, then come pairs of a path and where it is seen, "--" and the command. exec
     * all the way: the process is still the test's.
     */
    private static final String SCRIPT =
        """
        root=$0
        mount --bind "$root" "$root" || exit 125
        mount --rbind /proc "$root/proc" || exit 125
        mount --rbind /dev "$root/dev" || exit 125
        mount -t tmpfs tmpfs "$root/tmp" || exit 125
        while [ "$1" != -- ]; do
          mount --bind "$1" "$root$2" || exit 125
          shift 2
        done
        shift
        mount --bind "$(readlink -f /etc/resolv.conf)" "$root/etc/resolv.conf" || exit 125
        mount -o remount,bind,ro "$root" || exit 125
        # Becoming somebody else takes root's capabilities away; a mapped user keeps those of its own namespace.
        if [ "$(id -u)" = 0 ]; then set -- --userspec=USER:USER --groups= "$root" "$@"; else set -- "$root" "$@"; fi
        exec chroot "$@"
        """
            .replace("USER", Integer.toString(USER));

    /**
     * The command that gives words a root of their own, of whoever may mount.
     *
     * @param mounts what is seen beside the image's files, and where
     * @param environment {@code NAME=value}; nothing else is inherited
     */
    static List<String> rooted(
        Path root,
        Map<Path, String> mounts,
        List<String> environment,
        List<String> unshare,
        List<String> words)
        throws IOException {
      for (String mountPoint : List.of("/proc", "/dev")) {
        Files.createDirectories(Path.of(root + mountPoint));
      }
      for (String mountPoint : mounts.values()) {
        Files.createDirectories(Path.of(root + mountPoint));
      }
      if (!Files.exists(root.resolve("etc/resolv.conf"))) {
        Files.createFile(root.resolve("etc/resolv.conf"));
      }
      List<String> all = new ArrayList<>(List.of("env", "-i"));
      all.addAll(environment);
      all.add("PATH=/usr/sbin:/usr/bin:/sbin:/bin");
      all.addAll(unshare);
      all.addAll(List.of("bash", "-c", SCRIPT, root.toString()));
      mounts.forEach((path, mountPoint) -> all.addAll(List.of(path.toString(), mountPoint)));
      all.add("--");
      all.addAll(words);
      return all;
    }

    @Override
    public List<String> command(
        Path configuration, List<String> environment, List<String> arguments) throws IOException {
      return rooted(
          root,
          Map.of(configuration, "/etc/sluice"),
          environment,
          unshare,
          image.commandLine(arguments));
    }

    @Override
    public long pid(Process process) {
      return process.pid();
    }
  }
}
