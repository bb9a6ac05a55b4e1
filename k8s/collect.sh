#!/usr/bin/env bash
# Gets artifacts and logs of one pod of the load job: by HTTP from a driver that holds them, through a pod that mounts it from a volume that stays.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

usage="usage: k8s/collect.sh [-n NAMESPACE] POD DIR"
say() { echo "collect: $*" >&2; }
die() { say "$*"; exit 1; }

kubectl=("${KUBECTL:-kubectl}")
if [ "${1:-}" = --help ]; then echo "$usage"; exit 0; fi
if [ "${1:-}" = -n ] && [ $# -ge 2 ]; then
  kubectl+=(-n "$2")
  shift 2
fi
[ $# -eq 2 ] || { say "$usage"; exit 2; }
pod=$1
directory=$2
mkdir -p "$directory"

field() { "${kubectl[@]}" get pod "$pod" -o "jsonpath={$1}"; }

# Which images ran, by their digests, within which limits, and on which nodes.
status() {
  local name container measured
  "${kubectl[@]}" get pod "$pod" -o yaml >"$directory/pod.yaml"
  for container in memcached sluice driver; do
    log "$pod" "$container"
  done
  [ -n "$(field '.metadata.labels.app\.kubernetes\.io/part-of')" ] || return 0
  # What is measured has pods of its own.
  measured=$("${kubectl[@]}" get pods -l 'app.kubernetes.io/part-of=sluice-load,app.kubernetes.io/component!=load' --sort-by=.metadata.creationTimestamp \
    -o 'jsonpath={range .items[*]}{.metadata.name} {.spec.containers[0].name}{"\n"}{end}')
  while read -r name container; do
    [ -n "$name" ] || continue
    "${kubectl[@]}" get pod "$name" -o yaml >"$directory/pod-$container.yaml" || true
    log "$name" "$container"
  done <<<"$measured"
}

# Of a container that was started again, what it said before it ended, too.
log() {
  "${kubectl[@]}" logs "$1" -c "$2" >"$directory/$2.log" 2>/dev/null || rm -f "$directory/$2.log"
  "${kubectl[@]}" logs "$1" -c "$2" --previous >"$directory/$2-previous.log" 2>/dev/null || rm -f "$directory/$2-previous.log"
}

held() {
  local port name i
  said=$(mktemp)
  "${kubectl[@]}" port-forward "pod/$pod" :9902 >"$said" 2>&1 &
  forward=$!
  trap 'kill "$forward" 2>/dev/null || true; rm -f "$said"' EXIT
  for ((i = 0; i < 300; i++)); do
    port=$(sed -n 's/^Forwarding from 127\.0\.0\.1:\([0-9]*\) .*/\1/p' "$said")
    [ -z "$port" ] || break
    kill -0 "$forward" 2>/dev/null || { cat "$said" >&2; die "no port of $pod can be forwarded"; }
    sleep 0.1
  done
  [ -n "$port" ] || die "no port of $pod was forwarded"
  curl -fsS "http://127.0.0.1:$port/" >"$directory/.artifacts" || die "$pod does not list its artifacts"
  while read -r name; do
    case "$name" in */* | .*) die "found the artifact $name, expected a file's name" ;; esac
    curl -fsS -o "$directory/$name" "http://127.0.0.1:$port/$name" || die "$pod does not give $name"
  done <"$directory/.artifacts"
  rm "$directory/.artifacts"
  # Whatever it answers: all is here, and it ends by itself.
  curl -fsS -X POST "http://127.0.0.1:$port/done" >/dev/null || true
}

kept() {
  trap '"${kubectl[@]}" delete pod sluice-load-reader --ignore-not-found --now >&2' EXIT
  "${kubectl[@]}" apply -f "$here/components/load-pvc/reader.yaml" >&2
  "${kubectl[@]}" wait --for=condition=Ready pod/sluice-load-reader --timeout=180s >&2
  "${kubectl[@]}" exec sluice-load-reader -- tar -C /artifacts -cf - . | tar -C "$directory" --no-same-owner -xf -
}

status
if [ -n "$(field '.spec.volumes[?(@.name=="artifacts")].persistentVolumeClaim.claimName')" ]; then
  kept
elif [ -n "$(field '.status.containerStatuses[?(@.name=="driver")].state.running.startedAt')" ]; then
  held
else
  field '.status.containerStatuses[?(@.name=="driver")].state.terminated.message' >"$directory/verdict.json"
  die "the driver of $pod has ended, and its artifacts with it; $directory has logs and what it said last"
fi
[ -s "$directory/verdict.json" ] || die "found no verdict.json of $pod"
say "$pod: $(find "$directory" -type f | wc -l) files in $directory"
