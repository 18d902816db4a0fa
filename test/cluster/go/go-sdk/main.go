// Calls an agent's send_message on the Go SDK of MCP, as its standard input says, one JSON object a line: {"id",
// "arguments", "meta"} makes a call, {"id", "prompt", "arguments"} gets a prompt, and {"cancel": id} cancels what has that id.
// Writes one JSON object a line: {"ready": protocol, "tools"} first, and when a call ends {"id", "result", "lines", "deltas"}:
// the messages of its progress, and the pieces of text that arrived meanwhile; of a prompt {"id", "messages"}; of either
// {"id", "failure"}.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK hands on notifications beside results: those that came before a result may be seen after it.
const quiet = 300 * time.Millisecond

type command struct {
	ID        int            `json:"id"`
	Prompt    string         `json:"prompt"`
	Arguments map[string]any `json:"arguments"`
	Meta      map[string]any `json:"meta"`
	Cancel    *int           `json:"cancel"`
}

// caller is a connection with the calls that are under way on it.
type caller struct {
	mutex   sync.Mutex
	lines   map[string][]string
	deltas  map[string][]string
	cancels map[int]context.CancelFunc
}

func (c *caller) say(message map[string]any) {
	text, err := json.Marshal(message)
	if err != nil {
		log.Fatal(err)
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	fmt.Println(string(text))
}

func (c *caller) note(_ context.Context, request *mcp.ProgressNotificationClientRequest) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	token := fmt.Sprint(request.Params.ProgressToken)
	if delta, found := request.Params.Meta["ca.helu.pallas/text_delta"].(map[string]any); found {
		c.deltas[token] = append(c.deltas[token], fmt.Sprint(delta["text"]))
		return
	}
	c.lines[token] = append(c.lines[token], request.Params.Message)
}

func (c *caller) call(ctx context.Context, session *mcp.ClientSession, next command) {
	token := fmt.Sprintf("call-%d", next.ID)
	params := &mcp.CallToolParams{Name: "send_message", Arguments: next.Arguments, Meta: next.Meta}
	params.SetProgressToken(token)
	result, err := session.CallTool(ctx, params)
	if err != nil {
		c.say(map[string]any{"id": next.ID, "failure": err.Error()})
		return
	}
	time.Sleep(quiet)
	c.mutex.Lock()
	lines, deltas := append([]string{}, c.lines[token]...), append([]string{}, c.deltas[token]...)
	c.mutex.Unlock()
	c.say(map[string]any{"id": next.ID, "result": result, "lines": lines, "deltas": deltas})
}

func (c *caller) getPrompt(ctx context.Context, session *mcp.ClientSession, next command) {
	arguments := map[string]string{}
	for name, value := range next.Arguments {
		arguments[name] = fmt.Sprint(value)
	}
	result, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: next.Prompt, Arguments: arguments})
	if err != nil {
		c.say(map[string]any{"id": next.ID, "failure": err.Error()})
		return
	}
	c.say(map[string]any{"id": next.ID, "messages": result.Messages})
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("expected the agent's MCP endpoint as the only argument")
	}
	ctx := context.Background()
	c := &caller{lines: map[string][]string{}, deltas: map[string][]string{}, cancels: map[int]context.CancelFunc{}}
	options := &mcp.ClientOptions{ProgressNotificationHandler: c.note}
	client := mcp.NewClient(&mcp.Implementation{Name: "caller", Version: "1.0.0"}, options)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: os.Args[1]}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	listed, err := session.ListTools(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	c.say(map[string]any{"ready": session.InitializeResult().ProtocolVersion, "tools": listed.Tools})

	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 64<<20)
	for input.Scan() {
		var next command
		if err := json.Unmarshal(input.Bytes(), &next); err != nil {
			log.Fatal(err)
		}
		if next.Cancel != nil {
			c.cancels[*next.Cancel]()
			continue
		}
		one, cancel := context.WithCancel(ctx)
		c.cancels[next.ID] = cancel
		if next.Prompt != "" {
			go c.getPrompt(one, session, next)
			continue
		}
		go c.call(one, session, next)
	}
}
