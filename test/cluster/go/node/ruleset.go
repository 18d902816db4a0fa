package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	core "k8s.io/api/core/v1"
	net "k8s.io/api/networking/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// A pod with an address of its own.
type pod struct {
	*core.Pod
	address string
}

// What policies select from.
type cluster struct {
	pods       []pod
	namespaces map[string]labels.Set
}

// A chain holds what one pod may receive or send; a verdict map leads there by the pod's address.
type chain struct {
	name, address, self string
	allowed             []string
}

// renderRuleset gives the nftables text that replaces the tables of before: a chain for each pod and direction that a
// policy isolates. Equal objects give equal text.
func renderRuleset(pods []*core.Pod, namespaces []*core.Namespace, policies []*net.NetworkPolicy, bridge string) string {
	all := observeCluster(pods, namespaces)
	slices.SortFunc(policies, func(a, b *net.NetworkPolicy) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	var received, sent []chain
	for n := range all.pods {
		each := &all.pods[n]
		if allowed, isolated := all.allow(each, policies, ingress); isolated {
			received = append(received, chain{"in-" + each.address, each.address, "saddr", allowed})
		}
		if allowed, isolated := all.allow(each, policies, egress); isolated {
			sent = append(sent, chain{"out-" + each.address, each.address, "daddr", allowed})
		}
	}
	var text strings.Builder
	text.WriteString("table ip pallas-netpol\ndelete table ip pallas-netpol\ntable ip pallas-netpol {\n")
	for _, each := range slices.Concat(received, sent) {
		text.WriteString(each.render())
	}
	// What pods send to the machine is held to their egress rules; what the machine sends to pods (probes) passes.
	text.WriteString(renderHook("forward", renderMap("saddr", sent)+renderMap("daddr", received)))
	text.WriteString(renderHook("input", renderMap("saddr", sent)))
	text.WriteString("}\n")
	text.WriteString("table ip6 pallas-netpol\ndelete table ip6 pallas-netpol\ntable ip6 pallas-netpol {\n")
	text.WriteString("  chain forward {\n    type filter hook forward priority filter;\n")
	fmt.Fprintf(&text, "    iifname %q drop\n  }\n}\n", bridge)
	return text.String()
}

func observeCluster(pods []*core.Pod, namespaces []*core.Namespace) cluster {
	all := cluster{namespaces: map[string]labels.Set{}}
	for _, each := range pods {
		ended := each.Status.Phase == core.PodSucceeded || each.Status.Phase == core.PodFailed
		if each.Status.PodIP != "" && !each.Spec.HostNetwork && !ended {
			all.pods = append(all.pods, pod{each, each.Status.PodIP})
		}
	}
	slices.SortFunc(all.pods, func(a, b pod) int { return cmp.Compare(a.address, b.address) })
	for _, each := range namespaces {
		all.namespaces[each.Name] = each.Labels
	}
	return all
}

// allow gives the matches of what policies let through, and whether any policy isolates the pod in this direction.
func (all cluster) allow(selected *pod, policies []*net.NetworkPolicy, way direction) (allowed []string, isolated bool) {
	for _, policy := range policies {
		isMeant := policy.Namespace == selected.Namespace && selects(&policy.Spec.PodSelector, selected.Labels)
		if !isMeant || !slices.Contains(policy.Spec.PolicyTypes, way.policyType()) {
			continue
		}
		isolated = true
		for _, each := range way.rulesOf(policy) {
			allowed = append(allowed, all.renderRule(each, way, selected)...)
		}
	}
	return allowed, isolated
}

// A pod always reaches itself.
func (each chain) render() string {
	lines := []string{fmt.Sprintf("  chain %s {", each.chainName()), fmt.Sprintf("    ip %s %s return", each.self, each.address)}
	for _, match := range each.allowed {
		lines = append(lines, "    "+match+"return")
	}
	return strings.Join(append(lines, "    counter drop", "  }", ""), "\n")
}

func (each chain) chainName() string { return strings.ReplaceAll(each.name, ".", "-") }

func renderHook(hook, rules string) string {
	return fmt.Sprintf("  chain %[1]s {\n    type filter hook %[1]s priority filter;\n"+
		"    ct state established,related accept\n%[2]s  }\n", hook, rules)
}

func renderMap(field string, chains []chain) string {
	if len(chains) == 0 {
		return ""
	}
	entries := make([]string, len(chains))
	for n, each := range chains {
		entries[n] = fmt.Sprintf("%s : jump %s", each.address, each.chainName())
	}
	return fmt.Sprintf("    ip %s vmap { %s }\n", field, strings.Join(entries, ", "))
}

func selects(selector *meta.LabelSelector, set labels.Set) bool {
	parsed, err := meta.LabelSelectorAsSelector(selector)
	return err == nil && parsed.Matches(set)
}
