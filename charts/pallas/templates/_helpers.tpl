{{/* Name of everything that belongs to the operator. */}}
{{- define "pallas.operator" -}}
{{ .Release.Name }}-operator
{{- end }}

{{- define "pallas.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (include "pallas.operator" .) }}
{{- end }}

{{/* The operator's pods. Agents let them in by the first one, so its value is for ever. */}}
{{- define "pallas.selector" -}}
app.kubernetes.io/name: pallas-operator
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "pallas.labels" -}}
{{ include "pallas.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: operator
app.kubernetes.io/part-of: pallas
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* The reference of one image. Takes: root, name. */}}
{{- define "pallas.image" -}}
{{- $image := index .root.Values.images .name -}}
{{- with .root.Values.imageRegistry }}{{ trimSuffix "/" . }}/{{ end -}}
{{ $image.repository }}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default .root.Chart.AppVersion }}{{ end }}
{{- end }}

{{/* A Role or ClusterRole of the operator's account with its binding. Takes: root, kind, name, namespace, rules. */}}
{{- define "pallas.grant" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .kind }}
metadata:
  name: {{ .name }}
  {{- with .namespace }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "pallas.labels" .root | nindent 4 }}
rules:
  {{- toYaml .rules | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .kind }}Binding
metadata:
  name: {{ .name }}
  {{- with .namespace }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "pallas.labels" .root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .kind }}
  name: {{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ include "pallas.serviceAccount" .root }}
    namespace: {{ .root.Release.Namespace }}
{{- end }}

{{/* Namespaces of the resources, as monitors select them. */}}
{{- define "pallas.watchedNamespaces" -}}
{{- if .Values.watchNamespaces -}}
matchNames:
  {{- toYaml .Values.watchNamespaces | nindent 2 }}
{{- else -}}
any: true
{{- end }}
{{- end }}

{{/* Name of an admission policy, which another release of that name in another namespace must not have. Takes: root, purpose. */}}
{{- define "pallas.policy" -}}
{{ .root.Release.Name }}-{{ .purpose }}.{{ .root.Release.Namespace }}
{{- end }}

{{/* Where admission policies hold: other namespaces are other releases' business. */}}
{{- define "pallas.boundNamespaces" -}}
{{- with .Values.watchNamespaces -}}
matchResources:
  namespaceSelector:
    matchExpressions:
      - key: kubernetes.io/metadata.name
        operator: In
        values:
          {{- toYaml . | nindent 10 }}
{{- end }}
{{- end }}

{{/*
The steps of a policy on Secrets, of which CEL checks one per expression: the variable new0 lists them, and each further one is
the list before without its first name. Takes: most.
*/}}
{{- define "pallas.secretSteps" -}}
{{- range $step := until .most }}
- name: new{{ add1 $step }}
  expression: variables.new{{ $step }}.filter(name, name != variables.new{{ $step }}[0])
{{- end }}
{{- end }}

{{/* That the author may read each of them. Takes: most; before and after, which stand around a Secret's name in CEL; beyond, a sentence. */}}
{{- define "pallas.secretChecks" -}}
{{- $root := . }}
{{- range $step := until .most }}
- expression: >-
    variables.readsAll || variables.new{{ $step }}.size() == 0
    || variables.secrets.name(variables.new{{ $step }}[0]).check('get').allowed()
  # Knows no authorizer, nor a variable that needs one.
  messageExpression: >-
    {{ $root.before }}
    + variables.new{{ $step }}[0] + {{ $root.after }} + request.userInfo.username
    + ' may not read; grant them "get" on it, or let somebody who has that right write this'
  reason: Forbidden
{{- end }}
- expression: variables.readsAll || variables.new{{ .most }}.size() == 0
  message: >-
    {{ .beyond }}
  reason: Forbidden
{{- end }}
