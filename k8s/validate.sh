#!/usr/bin/env bash
# Asks more of the manifests than the tests do, of whatever tools are there: schemas of every kind and version, hints, and with --server an
# API server, its admission included. Says what it skipped.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

usage="usage: k8s/validate.sh [--server [-n NAMESPACE]]"
server=
kubectl=("${KUBECTL:-kubectl}")
case "${1:-}" in
  "") ;;
  --help) echo "$usage"; exit 0 ;;
  --server)
    server=yes
    shift
    namespace=default
    if [ "${1:-}" = -n ] && [ $# -ge 2 ]; then
      namespace=$2
      kubectl+=(-n "$2")
      shift 2
    fi
    ;;
esac
[ $# -eq 0 ] || { echo "validate: found $1; $usage" >&2; exit 2; }

versions=(1.34 1.37) # as k8s/schemas has them
failed=
asked=
judged() { asked=yes; "$@" || failed=yes; }
has() { command -v "$1" >/dev/null || { echo "validate: SKIPPED $1, which is not here ($2)" >&2; return 1; }; }

if has kubernetes-validate "pip install kubernetes-validate==1.37.0"; then
  for version in "${versions[@]}"; do
    for file in "$here"/rendered/*.yaml; do
      # It has no schemas of resources that others define.
      echo "validate: $(basename "$file") against $version" >&2
      judged kubernetes-validate --quiet -k "$version" --strict <(awk 'BEGIN{RS="---\n";ORS="---\n"} !/kind: PodMonitor/' "$file")
    done
  done
fi
if has kubeconform "go install github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0"; then
  for version in "${versions[@]}"; do
    judged kubeconform -strict -kubernetes-version "$version.0" -skip PodMonitor -summary "$here"/rendered/*.yaml
  done
fi
if has kube-score "go install github.com/zegl/kube-score/cmd/kube-score@v1.20.0"; then
  kube-score score --output-format ci "$here"/rendered/*.yaml || true # hints
fi
if [ -n "$server" ]; then
  for file in "$here"/rendered/*.yaml; do
    case "$file" in
      */production.yaml | */chart-production.yaml | */internode.yaml) "${kubectl[@]}" get crd podmonitors.monitoring.coreos.com >/dev/null 2>&1 ||
        { echo "validate: SKIPPED $(basename "$file"): the cluster has no PodMonitor" >&2; continue; } ;;
      */load-perf-events.yaml)
        level=$("${kubectl[@]}" get namespace "$namespace" -o 'jsonpath={.metadata.labels.pod-security\.kubernetes\.io/enforce}')
        [ "${level:-privileged}" = privileged ] ||
          { echo "validate: SKIPPED $(basename "$file"): the namespace $namespace is $level" >&2; continue; } ;;
    esac
    echo "validate: $(basename "$file") at the server" >&2
    judged "${kubectl[@]}" apply --dry-run=server --validate=strict --warnings-as-errors -f "$file"
  done
fi
[ -n "$asked" ] || { echo "validate: nobody was asked" >&2; exit 1; }
[ -z "$failed" ]
