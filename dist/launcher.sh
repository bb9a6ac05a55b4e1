# The part that the launchers share, for POSIX shells: ./sluice in a clone, and bin/sluice of a distribution.
# $java_package names the package that has Java, for messages; $java_kind is JDK, or Java where a runtime is enough.

die() { echo "sluice: $*" >&2; exit 1; }

# Sets $java and $java_version.
find_java() {
  if [ -n "${JAVA_HOME:-}" ]; then
    java=$JAVA_HOME/bin/java
    [ -x "$java" ] || die "JAVA_HOME: found $JAVA_HOME, which has no bin/java; expected the directory of a $java_kind 17 or later"
  else
    java=$(command -v java) || die "found no java; expected a $java_kind 17 or later (Debian: apt-get install $java_package)"
  fi
  read_java_version
}

# Sets $java_version, of $java.
read_java_version() {
  # The file beside it says the same as `java -version`, without starting a JVM.
  java_version=$(sed -n 's/^JAVA_VERSION="\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' "$(dirname "$(dirname "$(readlink -f "$java")")")/release" 2>/dev/null || true)
  [ -n "$java_version" ] || java_version=$("$java" -version 2>&1 | sed -n 's/.*version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' | head -n 1)
  [ "${java_version:-0}" -ge 17 ] || die "found Java ${java_version:-of no known version} ($java); expected 17 or later"
}

# The JVM raises its limit to the hard one. It needs a file for each jar, and without them it fails before any of our code
# can say why.
check_open_files() {
  open_files=$(ulimit -H -n)
  if [ "$open_files" != unlimited ] && [ "$open_files" -lt 256 ]; then
    die "found a limit of $open_files open files (ulimit -n), expected 256 or more"
  fi
}

# Takes the place of the shell: start CLASS_PATH PROFILES [ARGUMENT]... ; $2 is the directory of the files that SLUICE_PROFILE names.
start() {
  class_path=$1
  profiles=$2
  shift 2
  check_open_files
  # 512 MiB: the default ceiling of process.memory (128 MiB) and store (64 MiB), and room for what the allocator keeps.
  # A larger process.memory or embedded store needs more; of two equal flags the JVM takes the last.
  # Netty's pools of objects are queues in chunks; smaller ones than 50 clients take at a time would make and drop chunks for ever.
  flags="-Dio.netty.allocator.lowMemory=false -Dio.netty.recycler.chunkSize=1024 -XX:MaxDirectMemorySize=512m -XX:+ExitOnOutOfMemoryError"
  [ "$java_version" -lt 22 ] || flags="$flags --enable-native-access=ALL-UNNAMED"
  # Netty would do without, and make an object for each copy between buffers.
  [ "$java_version" -lt 23 ] || flags="$flags --sun-misc-unsafe-memory-access=allow"
  # Next to nothing is collected, and the serial collector's barriers and memory cost least; not beside one of the user's.
  of_user="${SLUICE_JAVA_OPTS:-} ${JAVA_TOOL_OPTIONS:-} ${JDK_JAVA_OPTIONS:-}"
  collector=user
  case "$of_user" in
    *-XX:+Use*GC*) ;;
    *) collector=ours flags="$flags -XX:+UseSerialGC" ;;
  esac
  # A heap as large as the machine's memory suggests fills up once at the start, and stays resident for nothing. It grows when
  # it must. Where the user says something of the heap's size, the JVM decides as always.
  case "$of_user" in
    *-Xm[sx]* | *HeapSize=* | *RAMPercentage=* | *RAMFraction=*) ;;
    *) flags="$flags -Xms32m" ;;
  esac
  # Fewer misses of the TLB: 2 to 4 % less CPU per request, for about 10 MiB. Where the kernel has none, the JVM would warn.
  case "${SLUICE_PROFILE:-} $(cat /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null)" in
    " "*"[always]"* | " "*"[madvise]"*) flags="$flags -XX:+UseTransparentHugePages" ;;
  esac
  # What ends at once gains nothing from the optimizing compiler, and would pay for it.
  case "${1:-}" in
    init | check | explain | schema | import | version | completion | man | help | --help | -h) flags="$flags -XX:TieredStopAtLevel=1" ;;
  esac
  # Netty keeps as many free chunks of memory for large buffers as there are processors, times two. Ten clients that send
  # large values need more than four: chunks were made, cleared and dropped for ever (ADR 0074). A profile saves memory instead.
  [ -n "${SLUICE_PROFILE:-}" ] || flags="$flags -Dio.netty.allocator.chunkReuseQueueCapacity=32"
  # Options for a purpose, which those of the user override.
  if [ -n "${SLUICE_PROFILE:-}" ]; then
    case "$SLUICE_PROFILE" in
      */*) profile= ;;
      *) profile=$profiles/$SLUICE_PROFILE ;;
    esac
    if [ ! -f "$profile" ]; then
      echo "sluice: SLUICE_PROFILE: found $SLUICE_PROFILE, expected $(ls "$profiles" | paste -s -d '|' -)" >&2
      exit 2
    fi
    while read -r option; do
      case "$option" in
        "" | \#*) ;;
        -XX:+Use*GC) [ "$collector" = user ] || flags="$flags $option" ;;
        *) flags="$flags $option" ;;
      esac
    done <"$profile"
  fi
  # glibc has an arena for each thread, and keeps what is freed in it: memory that fills up and empties again and again,
  # because clients do not read, grew by 40 MiB. The gateway's memory is in few large blocks, which threads seldom ask for.
  export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}"
  set -f # options are words, not patterns
  # shellcheck disable=SC2086 # several options in one variable
  exec "$java" $flags ${SLUICE_JAVA_OPTS:-} -cp "$class_path" sluice.gateway.cli.Main "$@"
}
