package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os/exec"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	burst       = 20 * time.Millisecond // changes that come together are taken together
	retryDelay  = time.Second
	repairEvery = time.Minute // in case somebody else has touched the table
	nftTimeout  = 10 * time.Second
)

// enforceNetworkPolicies keeps one nftables table in step with pods, namespaces and NetworkPolicies: at every change it
// is replaced whole, in one transaction. Pods are known by address, so this holds only where all pods are on this
// machine with one IPv4 address each.
func enforceNetworkPolicies(arguments []string) error {
	flags := flag.NewFlagSet("netpol", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "who may list pods, namespaces and networkpolicies")
	bridge := flags.String("bridge", "", "the pods' bridge; IPv6 through it is dropped")
	flags.Parse(arguments)
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}

	changed := make(chan struct{}, 1)
	touch := func() {
		select {
		case changed <- struct{}{}:
		default: // one is waiting already
		}
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods, namespaces := factory.Core().V1().Pods(), factory.Core().V1().Namespaces()
	policies := factory.Networking().V1().NetworkPolicies()
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { touch() },
		UpdateFunc: func(any, any) { touch() },
		DeleteFunc: func(any) { touch() },
	}
	for _, informer := range []cache.SharedIndexInformer{pods.Informer(), namespaces.Informer(), policies.Informer()} {
		informer.AddEventHandler(handler)
	}
	never := make(chan struct{})
	factory.Start(never)
	factory.WaitForCacheSync(never)
	touch()

	applied := ""
	repair := time.NewTicker(repairEvery)
	for {
		select {
		case <-changed:
		case <-repair.C:
			applied = ""
		}
		time.Sleep(burst)
		allPods, podsErr := pods.Lister().List(labels.Everything())
		allNamespaces, namespacesErr := namespaces.Lister().List(labels.Everything())
		allPolicies, policiesErr := policies.Lister().List(labels.Everything())
		if err := errors.Join(podsErr, namespacesErr, policiesErr); err != nil {
			return err
		}
		rules := renderRuleset(allPods, allNamespaces, allPolicies, *bridge)
		if rules == applied {
			continue
		}
		if err := applyRuleset(rules); err != nil {
			log.Print(err)
			time.AfterFunc(retryDelay, touch)
			continue
		}
		applied = rules
	}
}

func applyRuleset(rules string) error {
	ctx, cancel := context.WithTimeout(context.Background(), nftTimeout)
	defer cancel()
	nft := exec.CommandContext(ctx, "nft", "--file", "-")
	nft.Stdin = strings.NewReader(rules)
	if output, err := nft.CombinedOutput(); err != nil {
		return fmt.Errorf("nft: %w: %s", err, bytes.TrimSpace(output))
	}
	return nil
}
