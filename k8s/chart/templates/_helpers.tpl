{{- define "sluice.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "sluice.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "sluice.name" .) .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "sluice.name" .) | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "sluice.memcached.name" -}}
{{- .Values.memcached.nameOverride | default "memcached" }}
{{- end }}

{{/* At most 52 characters: the StatefulSet's pods have its name and 11 more in a label, and a label has 63. */}}
{{- define "sluice.memcached.fullname" -}}
{{- $name := include "sluice.fullname" . }}
{{- if .Values.memcached.fullnameOverride }}
{{- .Values.memcached.fullnameOverride }}
{{- else if le (len $name) 42 }}
{{- printf "%s-memcached" $name }}
{{- else }}
{{- printf "%s-%s-memcached" ($name | trunc 33 | trimSuffix "-") ($name | sha256sum | trunc 8) }}
{{- end }}
{{- end }}

{{- define "sluice.sidecar.fullname" -}}
{{- printf "%s-sidecar" (include "sluice.fullname" .) }}
{{- end }}

{{- define "sluice.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
{{- end }}
{{- end }}

{{/* What selects the pods of one component of one release. */}}
{{- define "sluice.gateway.selector" -}}
app.kubernetes.io/name: {{ include "sluice.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: gateway
{{- end }}

{{- define "sluice.memcached.selector" -}}
app.kubernetes.io/name: {{ include "sluice.memcached.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sluice.release" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* The servers of this chart, as a ring of names: a pod that restarts has another address, and keys of a ring of addresses would move. */}}
{{- define "sluice.traffic" -}}
{{- if not .root.Values.memcached.enabled }}
{{- fail (printf "%s: found no listeners, routes and pools, expected them where memcached.enabled is false" .where) }}
{{- end }}
{{- $servers := include "sluice.memcached.fullname" .root }}
listeners:
  memcached:
    bind: {{ .bind }}
    route: cache
    {{- if .maxAge }}
    limits: {maxAge: {{ .maxAge }}}
    {{- end }}
routes:
  cache:
    - pool: cache
pools:
  cache:
    servers:
      {{- range until (int .root.Values.memcached.replicas) }}
      - {{ $servers }}-{{ . }}.{{ $servers }}:11211
      {{- end }}
    hash: {function: murmur3, distribution: ketama}
    health: {failures: 3, probe: 1s, ejectFor: 1s..30s, maxEjected: 50%}
{{- end }}

{{/* The text of a configuration file: of .part (a section of values), with what the chart adds. */}}
{{- define "sluice.config" -}}
{{- if .part.configText }}
{{- if .part.config }}
{{- fail (printf "%s: found config and configText, expected one of them" .where) }}
{{- end }}
{{- .part.configText }}
{{- else }}
{{- $added := dict "admin" (dict "bind" "0.0.0.0:9901") "process" (dict "eventLoops" "${env:EVENT_LOOPS}" "drain" .drain) }}
{{- $config := deepCopy (.part.config | default dict) }}
{{- if not (or (hasKey $config "listeners") (hasKey $config "routes") (hasKey $config "pools")) }}
{{- $config = mergeOverwrite (include "sluice.traffic" . | fromYaml) $config }}
{{- end }}
{{- toYaml (mergeOverwrite $added $config) }}
{{- end }}
{{- end }}

{{- define "sluice.gateway.config" -}}
{{- $bind := printf "0.0.0.0:%d" (int (first .Values.gateway.ports).port) }}
{{- include "sluice.config" (dict "root" . "part" .Values.gateway "where" "gateway.config" "bind" $bind "drain" "20s" "maxAge" "30m") }}
{{- end }}

{{- define "sluice.sidecar.config" -}}
{{- include "sluice.config" (dict "root" . "part" .Values.sidecar "where" "sidecar.config" "bind" "127.0.0.1:11211" "drain" "5s") }}
{{- end }}

{{/*
The sidecar's container, an element of initContainers of the application's pod. From a chart that has this one as a dependency:
{{- include "sluice.sidecar.container" .Subcharts.sluice | nindent 8 }}
It starts before the application, and SIGTERM comes when the application has ended: it needs no preStop.
*/}}
{{- define "sluice.sidecar.container" -}}
- name: sluice
  image: {{ include "sluice.image" . }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  restartPolicy: Always
  args:
    - run
    - -c
    - /etc/sluice/sluice.yaml
  env:
    - name: EVENT_LOOPS
      valueFrom:
        resourceFieldRef:
          containerName: sluice
          resource: requests.cpu
    {{- with .Values.sidecar.javaToolOptions }}
    - name: JAVA_TOOL_OPTIONS
      value: {{ quote . }}
    {{- end }}
    {{- with .Values.sidecar.extraEnv }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  ports:
    - name: admin
      containerPort: 9901
  startupProbe:
    httpGet:
      path: /live
      port: admin
    periodSeconds: 1
    failureThreshold: 60
    timeoutSeconds: 3
  livenessProbe:
    httpGet:
      path: /live
      port: admin
    periodSeconds: 10
    failureThreshold: 6
    timeoutSeconds: 3
  resources:
    {{- toYaml .Values.sidecar.resources | nindent 4 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    allowPrivilegeEscalation: false
    readOnlyRootFilesystem: true
    seccompProfile:
      type: RuntimeDefault
    capabilities:
      drop:
        - ALL
  volumeMounts:
    - name: sluice-config
      mountPath: /etc/sluice
      readOnly: true
    - name: sluice-tmp
      mountPath: /tmp
{{- end }}

{{/* The volumes of that container. */}}
{{- define "sluice.sidecar.volumes" -}}
- name: sluice-config
  configMap:
    name: {{ include "sluice.sidecar.fullname" . }}
- name: sluice-tmp
  emptyDir:
    sizeLimit: 128Mi
{{- end }}
