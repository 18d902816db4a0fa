package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

const pollInterval = 20 * time.Millisecond

// callRuntime waits until the container runtime is ready for pods, or stops and removes every pod it has.
func callRuntime(arguments []string) error {
	flags := flag.NewFlagSet("cri", flag.ExitOnError)
	socket := flags.String("socket", "", "absolute path of the runtime's socket")
	timeout := flags.Duration("timeout", 30*time.Second, "after this it fails")
	flags.Parse(arguments)
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	connection, err := grpc.NewClient("unix://"+*socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	runtime := cri.NewRuntimeServiceClient(connection)
	switch flags.Arg(0) {
	case "ready":
		return waitUntilReady(ctx, *socket, runtime)
	case "clear":
		return removePods(ctx, runtime)
	default:
		return fmt.Errorf("usage: cri --socket path [--timeout duration] {ready|clear}, found %q", flags.Arg(0))
	}
}

func waitUntilReady(ctx context.Context, socket string, runtime cri.RuntimeServiceClient) error {
	// A first call without the socket would put grpc to sleep for a second.
	for ctx.Err() == nil {
		if _, err := os.Stat(socket); err == nil {
			break
		}
		time.Sleep(pollInterval)
	}
	last := fmt.Errorf("no answer at %s", socket)
	for ctx.Err() == nil {
		status, err := runtime.Status(ctx, &cri.StatusRequest{}, grpc.WaitForReady(true))
		switch {
		case err == nil && isReady(status.Status.Conditions):
			return nil
		case err == nil:
			last = fmt.Errorf("not ready: %v", status.Status.Conditions)
		case ctx.Err() == nil:
			last = err
		}
		time.Sleep(pollInterval)
	}
	return last
}

// isReady looks at two conditions only: others warn of things to come.
func isReady(conditions []*cri.RuntimeCondition) bool {
	ready := 0
	for _, condition := range conditions {
		if condition.Status && (condition.Type == cri.RuntimeReady || condition.Type == cri.NetworkReady) {
			ready++
		}
	}
	return ready == 2
}

func removePods(ctx context.Context, runtime cri.RuntimeServiceClient) error {
	list, err := runtime.ListPodSandbox(ctx, &cri.ListPodSandboxRequest{})
	if err != nil {
		return err
	}
	failures := make([]error, len(list.Items))
	var removals sync.WaitGroup
	for n, pod := range list.Items {
		removals.Go(func() {
			_, err := runtime.StopPodSandbox(ctx, &cri.StopPodSandboxRequest{PodSandboxId: pod.Id})
			if err == nil {
				_, err = runtime.RemovePodSandbox(ctx, &cri.RemovePodSandboxRequest{PodSandboxId: pod.Id})
			}
			if err != nil {
				failures[n] = fmt.Errorf("pod %s/%s: %w", pod.Metadata.Namespace, pod.Metadata.Name, err)
			}
		})
	}
	removals.Wait()
	return errors.Join(failures...)
}
