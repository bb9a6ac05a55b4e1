package sluice.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    // Root maps to the user; whoever is somebody else already becomes it in a user namespace.
    for (List<String> unshare :
        List.of(
            List.of("unshare", "--mount"),
            List.of(
                "unshare",
                "--user",
                "--map-user=" + USER,
                "--map-group=" + USER,
                "--keep-caps",
                "--mount"))) {
      List<String> trial = new ArrayList<>(unshare);
      trial.addAll(List.of("sh", "-c", "mount -t tmpfs tmpfs /tmp"));
      if (Command.of(trial).isPossible()) {
        return Optional.of(new Namespaces(unshare, image, root));
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
      words.addAll(List.of("--tmpfs", "/tmp", "--cap-drop", "ALL"));
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
    /** $0 is the root, $1 the configuration. exec all the way: the process is still the test's. */
    private static final String SCRIPT =
        """
        mount --bind "$0" "$0" || exit 125
        mount --rbind /proc "$0/proc" || exit 125
        mount --rbind /dev "$0/dev" || exit 125
        mount -t tmpfs tmpfs "$0/tmp" || exit 125
        mount --bind "$1" "$0/etc/sluice" || exit 125
        mount --bind "$(readlink -f /etc/resolv.conf)" "$0/etc/resolv.conf" || exit 125
        mount -o remount,bind,ro "$0" || exit 125
        root=$0
        shift
        # Becoming somebody else takes root's capabilities away; a mapped user keeps those of its own namespace.
        if [ "$(id -u)" = 0 ]; then set -- --userspec=USER:USER --groups= "$root" "$@"; else set -- "$root" "$@"; fi
        exec chroot "$@"
        """
            .replace("USER", Integer.toString(USER));

    @Override
    public List<String> command(
        Path configuration, List<String> environment, List<String> arguments) throws IOException {
      for (String mountPoint : List.of("proc", "dev", "etc/sluice")) {
        Files.createDirectories(root.resolve(mountPoint));
      }
      if (!Files.exists(root.resolve("etc/resolv.conf"))) {
        Files.createFile(root.resolve("etc/resolv.conf"));
      }
      List<String> words = new ArrayList<>(List.of("env", "-i"));
      words.addAll(environment);
      words.add("PATH=/usr/sbin:/usr/bin:/sbin:/bin");
      words.addAll(unshare);
      words.addAll(List.of("bash", "-c", SCRIPT, root.toString(), configuration.toString()));
      words.addAll(image.commandLine(arguments));
      return words;
    }

    @Override
    public long pid(Process process) {
      return process.pid();
    }
  }
}
