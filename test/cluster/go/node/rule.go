package main

import (
	"fmt"
	"slices"
	"strings"

	core "k8s.io/api/core/v1"
	net "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Which way a rule looks from the pod that its policy selects.
type direction bool

const (
	ingress direction = true
	egress  direction = false
)

// A rule of either direction.
type rule struct {
	namespace string
	peers     []net.NetworkPolicyPeer
	ports     []net.NetworkPolicyPort
}

// The other end of allowed connections as a match, and the pod whose names of ports count there, if there is one.
type peer struct {
	match  string
	holder *pod
}

func (way direction) policyType() net.PolicyType {
	if way == ingress {
		return net.PolicyTypeIngress
	}
	return net.PolicyTypeEgress
}

func (way direction) peerField() string {
	if way == ingress {
		return "saddr"
	}
	return "daddr"
}

func (way direction) rulesOf(policy *net.NetworkPolicy) (rules []rule) {
	if way == ingress {
		for _, each := range policy.Spec.Ingress {
			rules = append(rules, rule{policy.Namespace, each.From, each.Ports})
		}
		return rules
	}
	for _, each := range policy.Spec.Egress {
		rules = append(rules, rule{policy.Namespace, each.To, each.Ports})
	}
	return rules
}

// renderRule gives the nftables matches of what a rule allows: every peer with every port.
func (all cluster) renderRule(allowing rule, way direction, selected *pod) (matches []string) {
	for _, other := range all.findPeers(allowing, way, selected) {
		for _, port := range renderPorts(allowing.ports, other.holder) {
			matches = append(matches, other.match+port)
		}
	}
	return matches
}

// findPeers: a port's name means that of the receiving pod. It is the selected one for ingress; for egress each peer is
// a match of its own where names are used, as they may mean different numbers.
func (all cluster) findPeers(allowing rule, way direction, selected *pod) (peers []peer) {
	var holder *pod
	if way == ingress {
		holder = selected
	}
	isNamed := func(port net.NetworkPolicyPort) bool { return port.Port != nil && port.Port.Type == intstr.String }
	apart := way == egress && slices.ContainsFunc(allowing.ports, isNamed)
	pods := func(matches func(*pod) bool) {
		var addresses []string
		for n := range all.pods {
			each := &all.pods[n]
			if !matches(each) {
				continue
			}
			addresses = append(addresses, each.address)
			if apart {
				peers = append(peers, peer{fmt.Sprintf("ip %s %s ", way.peerField(), each.address), each})
			}
		}
		if len(addresses) > 0 && !apart {
			set := strings.Join(addresses, ", ")
			peers = append(peers, peer{fmt.Sprintf("ip %s { %s } ", way.peerField(), set), holder})
		}
	}
	if len(allowing.peers) == 0 {
		peers = append(peers, peer{"", holder})
		if apart {
			pods(func(*pod) bool { return true })
		}
	}
	for _, each := range allowing.peers {
		if each.IPBlock == nil {
			pods(func(other *pod) bool { return all.isPeer(each, allowing.namespace, other) })
		} else if !strings.Contains(each.IPBlock.CIDR, ":") {
			peers = append(peers, peer{renderBlock(each.IPBlock, way.peerField()), holder})
		}
	}
	return peers
}

func (all cluster) isPeer(selector net.NetworkPolicyPeer, namespace string, other *pod) bool {
	if selector.NamespaceSelector == nil {
		if other.Namespace != namespace {
			return false
		}
	} else if set, known := all.namespaces[other.Namespace]; !known || !selects(selector.NamespaceSelector, set) {
		return false
	}
	return selector.PodSelector == nil || selects(selector.PodSelector, other.Labels)
}

func renderBlock(block *net.IPBlock, field string) string {
	match := fmt.Sprintf("ip %s %s ", field, block.CIDR)
	if len(block.Except) > 0 {
		match += fmt.Sprintf("ip %s != { %s } ", field, strings.Join(block.Except, ", "))
	}
	return match
}

// renderPorts gives one match for each port; one that matches all when none is named.
func renderPorts(ports []net.NetworkPolicyPort, holder *pod) (matches []string) {
	if len(ports) == 0 {
		return []string{""}
	}
	for _, port := range ports {
		protocol := core.ProtocolTCP
		if port.Protocol != nil {
			protocol = *port.Protocol
		}
		name := strings.ToLower(string(protocol))
		switch {
		case port.Port == nil:
			matches = append(matches, fmt.Sprintf("meta l4proto %s ", name))
		case port.Port.Type == intstr.String:
			for _, number := range numbersOf(holder, port.Port.StrVal, protocol) {
				matches = append(matches, fmt.Sprintf("%s dport %d ", name, number))
			}
		case port.EndPort != nil:
			matches = append(matches, fmt.Sprintf("%s dport %d-%d ", name, port.Port.IntVal, *port.EndPort))
		default:
			matches = append(matches, fmt.Sprintf("%s dport %d ", name, port.Port.IntVal))
		}
	}
	return matches
}

func numbersOf(holder *pod, name string, protocol core.Protocol) (numbers []int32) {
	if holder == nil {
		return nil
	}
	for _, container := range holder.Spec.Containers {
		for _, port := range container.Ports {
			if port.Name == name && port.Protocol == protocol {
				numbers = append(numbers, port.ContainerPort)
			}
		}
	}
	return numbers
}
