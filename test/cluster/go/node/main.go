// Command node is what a Kubernetes node of the tests runs besides containerd, in one binary, as kubelet, kube-proxy
// and kube-scheduler share most of their code. Beside them stand two helpers: netpol enforces NetworkPolicies, cri
// waits for the container runtime and clears it of pods. The component is chosen by the name the program is started
// under (a symlink), or else by the first argument.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

var components = map[string]func() int{
	"kubelet":        serve(func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) }),
	"kube-proxy":     serve(proxy.NewProxyCommand),
	"kube-scheduler": serve(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
	"netpol":         help(enforceNetworkPolicies),
	"cri":            help(callRuntime),
}

func serve(command func() *cobra.Command) func() int {
	return func() int { return cli.Run(command()) }
}

func help(run func(arguments []string) error) func() int {
	return func() int {
		if err := run(os.Args[1:]); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
			return 1
		}
		return 0
	}
}

func main() {
	name := filepath.Base(os.Args[0])
	if _, known := components[name]; !known && len(os.Args) > 1 {
		name, os.Args = os.Args[1], os.Args[1:]
	}
	run, known := components[name]
	if !known {
		fmt.Fprintln(os.Stderr, "usage: node {kubelet|kube-proxy|kube-scheduler|netpol|cri} [flags]")
		os.Exit(2)
	}
	os.Exit(run())
}
