// Command probe is both ends of a network test in pods: `serve` answers every request on port 8080 with its host name,
// `fetch URL` prints what a server answers, `lookup NAME` prints the addresses of a name. The last two fail within
// two seconds when there is no answer.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

const timeout = 2 * time.Second

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	switch {
	case len(arguments) == 1 && arguments[0] == "serve":
		return http.ListenAndServe(":8080", http.HandlerFunc(answer))
	case len(arguments) == 2 && arguments[0] == "fetch":
		return fetch(arguments[1])
	case len(arguments) == 2 && arguments[0] == "lookup":
		return lookup(arguments[1])
	default:
		return fmt.Errorf("usage: probe {serve|fetch URL|lookup NAME}, found %q", arguments)
	}
}

func answer(response http.ResponseWriter, _ *http.Request) {
	name, _ := os.Hostname()
	fmt.Fprintln(response, name)
}

func fetch(url string) error {
	client := http.Client{Timeout: timeout}
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(os.Stdout, io.LimitReader(response.Body, 1<<20))
	return err
}

func lookup(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupHost(ctx, name)
	for _, address := range addresses {
		fmt.Println(address)
	}
	return err
}
