{{/* The name of all that a release makes. */}}
{{- define "outcome-monitors.name" -}}
{{- if contains "outcome-monitors" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-outcome-monitors" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "outcome-monitors.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/name: outcome-monitors
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* What pods of one part are found by. Takes a list: the root, the part. */}}
{{- define "outcome-monitors.selector" -}}
app.kubernetes.io/name: outcome-monitors
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "outcome-monitors.image" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- define "outcome-monitors.secret" -}}
{{ .Values.secret.existing | default (include "outcome-monitors.name" .) }}
{{- end }}

{{/* Where the state is: the fleet's, or the pod's own folder. */}}
{{- define "outcome-monitors.state" -}}
{{ if .Values.database.enabled }}$(OUTCOME_MONITORS_DSN){{ else }}/state/learned{{ end }}
{{- end }}

{{/* A variable that a key of the secret holds. Takes a list: the root, the variable, the key. */}}
{{- define "outcome-monitors.given" -}}
- name: {{ index . 1 }}
  valueFrom:
    secretKeyRef: {name: {{ include "outcome-monitors.secret" (index . 0) }}, key: {{ index . 2 }}}
{{- end }}

{{/* The state's address, and the role and password of one part, which the driver reads. Takes a list: the root, the part. */}}
{{- define "outcome-monitors.database" -}}
{{- $root := index . 0 }}
{{- if $root.Values.database.enabled }}
{{ include "outcome-monitors.given" (list $root "OUTCOME_MONITORS_DSN" "dsn") }}
- name: PGUSER
  value: {{ index $root.Values.database.roles (index . 1) | quote }}
{{ include "outcome-monitors.given" (list $root "PGPASSWORD" (printf "%s-password" (index . 1))) }}
{{- end }}
{{- end }}

{{- define "outcome-monitors.labelled" -}}
- name: OUTCOME_MONITORS_SERVICE
  value: {{ .Values.labels.service | default .Release.Name | quote }}
{{- with .Values.labels.environment }}
- name: OUTCOME_MONITORS_ENVIRONMENT
  value: {{ . | quote }}
{{- end }}
{{- with .Values.labels.agent }}
- name: OUTCOME_MONITORS_AGENT
  value: {{ . | quote }}
{{- end }}
{{- end }}

{{- define "outcome-monitors.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "outcome-monitors.security" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{- define "outcome-monitors.mounts" -}}
volumeMounts:
  - {name: state, mountPath: /state}
  - {name: tmp, mountPath: /tmp}
{{- end }}

{{- define "outcome-monitors.volumes" -}}
- name: state
  emptyDir: {sizeLimit: {{ .Values.state.sizeLimit }}}
- name: tmp
  emptyDir: {medium: Memory, sizeLimit: 64Mi}
{{- end }}

{{/* Takes the name of a port. */}}
{{- define "outcome-monitors.probes" -}}
startupProbe:
  httpGet: {path: /healthz, port: {{ . }}}
  periodSeconds: 2
  failureThreshold: 30
livenessProbe:
  httpGet: {path: /healthz, port: {{ . }}}
  periodSeconds: 10
  timeoutSeconds: 3
  failureThreshold: 3
readinessProbe:
  httpGet: {path: /readyz, port: {{ . }}}
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
{{- end }}

{{- define "outcome-monitors.placement" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The proxy as a container. */}}
{{- define "outcome-monitors.proxy" -}}
name: proxy
{{ include "outcome-monitors.image" . }}
args:
  - proxy
  - --learn={{ include "outcome-monitors.state" . }}
  {{- if .Values.proxy.contracts }}
  - --contracts=/contracts/contracts.json
  {{- end }}
  - --mode={{ .Values.proxy.mode }}
  {{- if eq .Values.form "sidecar" }}
  - --upstream=http://127.0.0.1:{{ .Values.server.port }}{{ .Values.server.path }}
  {{- else }}
  - --upstream={{ required "proxy.upstream is where the server is, as in http://shop:8000/mcp" .Values.proxy.upstream }}
  {{- end }}
  - --listen=0.0.0.0:{{ .Values.service.port }}
  - --status=0.0.0.0:{{ .Values.service.statusPort }}
  - --drain={{ .Values.proxy.drainSeconds }}
  {{- range .Values.proxy.extraArgs }}
  - {{ . | quote }}
  {{- end }}
env:
  {{- include "outcome-monitors.given" (list . "OUTCOME_MONITORS_TOKEN" "token") | nindent 2 }}
  {{- include "outcome-monitors.given" (list . "OUTCOME_MONITORS_STATUS_TOKEN" "status-token") | nindent 2 }}
  {{- include "outcome-monitors.database" (list . "proxy") | nindent 2 }}
  {{- include "outcome-monitors.labelled" . | nindent 2 }}
ports:
  - {name: mcp, containerPort: {{ .Values.service.port }}}
  - {name: status, containerPort: {{ .Values.service.statusPort }}}
{{ include "outcome-monitors.probes" "status" }}
{{- if .Values.proxy.preStopSeconds }}
lifecycle:
  # Until no one is sent here any more.
  preStop:
    exec: {command: [sleep, {{ .Values.proxy.preStopSeconds | quote }}]}
{{- end }}
{{ include "outcome-monitors.security" . }}
{{ include "outcome-monitors.mounts" . }}
  {{- if .Values.proxy.contracts }}
  - {name: contracts, mountPath: /contracts, readOnly: true}
  {{- end }}
resources: {{- toYaml .Values.proxy.resources | nindent 2 }}
{{- end }}
