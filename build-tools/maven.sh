# Sourced by the scripts that build: Maven, which says something only if the build fails.

# maven ARGUMENT... ; Maven 3.8 writes its "end of colour" also where it has been told to use none.
maven() (
  set -o pipefail # also where the caller does not: a build that failed must not pass for one
  mvn -B -q -Dstyle.color=never -DskipTests "$@" 2>&1 8>&- | sed $'s/\e\\[[0-9;]*m//g' >&2
)
