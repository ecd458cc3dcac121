// A server written with the official TypeScript SDK, major version 2. What it asks goes by `inputRequired`, which the SDK turns
// into requests to clients of the handshake, but for HTTP, where it keeps no sessions for them. With a port it serves HTTP.
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const outputSchema = z.object({ id: z.string(), total: z.number(), status: z.string() });
const said = (order) => ({ content: [{ type: "text", text: JSON.stringify(order) }], structuredContent: order });
const wrong = (status) => said({ id: "W1", total: -5, status });
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const added = [];
let stopped = 0;
let changed = () => {};

const ask = { role: "user", content: { type: "text", text: "How is the order?" } };
const sure = { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] };
const asking = {
  sample: [inputRequired.createMessage({ messages: [ask], maxTokens: 10 }), ({ content }) => content.text],
  elicit: [
    inputRequired.elicit({ message: "Are you sure?", requestedSchema: sure }),
    ({ action, content }) => `${action} ${content.sure}`,
  ],
  roots: [inputRequired.listRoots(), ({ roots }) => roots.map(({ uri }) => uri).join(" ")],
};

function shop() {
  const server = new McpServer({ name: "shop", version: "1" }, { capabilities: { logging: {} } });
  const tool = (name, run, given = {}) =>
    server.registerTool(name, { inputSchema: z.object(given), outputSchema }, run);
  const progress = async ({ mcpReq }, done, total) => {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined) return;
    await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: done, total } });
  };

  const order = { id: z.string(), total: z.number().default(12.5) };
  tool("get_order", ({ id, total }) => said({ id, total, status: "sent" }), order);
  for (const [name, [question, read]] of Object.entries(asking)) {
    tool(name, (_given, { mcpReq }) => {
      const answer = mcpReq.inputResponses?.[name];
      return answer ? wrong(read(answer)) : inputRequired({ inputRequests: { [name]: question } });
    });
  }
  tool("count", async (_given, context) => {
    for (const number of [0, 1, 2]) {
      await progress(context, number, 3);
      await pause(100);
    }
    return wrong("counted");
  });
  tool("log", async (_given, { mcpReq }) => {
    await mcpReq.log("info", "the shop is open");
    return wrong("logged");
  });
  tool("wait", async (_given, context) => {
    const { signal } = context.mcpReq;
    signal.addEventListener("abort", () => (stopped += 1));
    await progress(context, 0, 1);
    for (let passed = 0; passed < 600 && !signal.aborted; passed += 1) await pause(100);
    return wrong("waited");
  });
  tool("waited", () => wrong(`called off: ${stopped}`));
  const grow = (name) => tool(name, () => wrong("hello"));
  tool(
    "grow",
    ({ name }) => {
      added.push(name);
      grow(name);
      changed();
      return wrong("grown");
    },
    { name: z.string() },
  );
  added.forEach(grow);
  return server;
}

const port = process.argv[2];
if (port) {
  const handler = createMcpHandler(shop);
  changed = () => handler.notify.toolsChanged();
  createServer(toNodeHandler(handler)).listen(Number(port), "127.0.0.1");
} else {
  serveStdio(shop);
}
