# Sourced by what packs a Java runtime with the jars: build-tools/image and build-tools/dist. They define say, die and wrong.

wanted_java=25
release_of() { sed -n "s/^$2=\"\(.*\)\"/\1/p" "$1/release" 2>/dev/null; }
feature_of() { release_of "$1" JAVA_VERSION | sed 's/[.+-].*//'; }

# Sets $jdk, unless --jdk has, and $feature, its version. $1 gets a runtime of it.
choose_jdk() {
  local candidate
  if [ -n "$jdk" ]; then
    [ -x "$jdk/bin/jlink" ] || wrong "--jdk: found $jdk, which has no bin/jlink; expected the directory of a JDK"
  else
    for candidate in "${JAVA_HOME:-}" "${JAVA_HOME_25_X64:-}" "${JAVA_HOME_25_ARM64:-}" /usr/lib/jvm/* /opt/*jdk* /opt/java/* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/*; do
      if [ -x "$candidate/bin/jlink" ] && [ "$(feature_of "$candidate")" = "$wanted_java" ] && [ -x "$candidate/bin/javac" ]; then
        jdk=$candidate
        break
      fi
    done
    if [ -z "$jdk" ]; then
      jdk=$(dirname "$(dirname "$(readlink -f "${JAVA_HOME:+$JAVA_HOME/bin/}$([ -n "${JAVA_HOME:-}" ] && echo java || command -v java)")")")
      [ -x "$jdk/bin/jlink" ] || die "found no JDK $wanted_java and no jlink in $jdk; expected --jdk DIR"
      say "found no JDK $wanted_java: $1 gets the running Java $(feature_of "$jdk") ($jdk); --jdk DIR names another"
    fi
  fi
  feature=$(feature_of "$jdk")
  [ "${feature:-0}" -ge 17 ] || wrong "--jdk: found Java ${feature:-of no known version} in $jdk; expected 17 or later, best $wanted_java"
}

# Writes a runtime of $jdk to directory $1, with what Sluice uses of it; more arguments are options of jlink.
link_runtime() {
  local to=$1 compress=zip-6 log
  shift
  [ "$feature" -ge 21 ] || compress=2
  # Debug information stays: a profile needs its line numbers.
  log=$("$jdk/bin/jlink" --add-modules "java.base,java.logging,java.management,java.naming,java.xml,jdk.crypto.ec,jdk.jfr,jdk.management,jdk.net,jdk.unsupported" \
    "$@" --no-header-files --no-man-pages --compress="$compress" --output "$to" 2>&1) || { echo "$log" >&2; die "jlink failed"; }
}

# Ends unless the list of parts, $1, has each of the jars. A jar that is not in the list was not held against advisories, either.
# (The list has the native parts of both architectures.)
compare_with_sbom() {
  local sbom=$1 parts jar part
  shift
  [ -f "$sbom" ] || die "--sbom: found no file $sbom; Maven makes none when it is offline"
  parts=$(sed -n 's|.*"purl" *: *"pkg:maven/[^/]*/\([^@]*\)@\([^?"]*\)\(?\(.*&\)\{0,1\}classifier=\([^&"]*\).*\)\{0,1\}.*|\1-\2 \5|p' "$sbom" | sed 's/ $//; s/ /-/' | sort -u)
  for jar in "$@"; do
    part=$(basename "${jar%.jar}")
    grep -qxF "$part" <<<"$parts" || die "$sbom has no $part; expected every jar that is shipped (advisories/pom.xml)"
  done
}
