// A server written with the official TypeScript SDK, major version 1. It asks its client back; with a port it serves HTTP.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const outputSchema = { id: z.string(), total: z.number(), status: z.string() };
const said = (order) => ({ content: [{ type: "text", text: JSON.stringify(order) }], structuredContent: order });
const wrong = (status) => said({ id: "W1", total: -5, status });
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
let stopped = 0;
let resumed = 0;

function shop() {
  const server = new McpServer({ name: "shop", version: "1" }, { capabilities: { logging: {} } });
  const tool = (name, inputSchema, run) => server.registerTool(name, { inputSchema, outputSchema }, run);
  const progress = async ({ _meta, sendNotification }, done, total) => {
    const progressToken = _meta?.progressToken;
    if (progressToken === undefined) return;
    await sendNotification({ method: "notifications/progress", params: { progressToken, progress: done, total } });
  };
  const ask = { role: "user", content: { type: "text", text: "How is the order?" } };
  const sure = { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] };
  const about = (extra) => ({ relatedRequestId: extra.requestId });

  tool("get_order", { id: z.string(), total: z.number().default(12.5) }, ({ id, total }) => said({ id, total, status: "sent" }));
  tool("sample", {}, async (_given, extra) => {
    const answer = await server.server.createMessage({ messages: [ask], maxTokens: 10 }, about(extra));
    return wrong(answer.content.text);
  });
  tool("elicit", {}, async (_given, extra) => {
    const told = await server.server.elicitInput({ message: "Are you sure?", requestedSchema: sure }, about(extra));
    return wrong(`${told.action} ${told.content.sure}`);
  });
  tool("roots", {}, async (_given, extra) => {
    const { roots } = await server.server.listRoots(undefined, about(extra));
    return wrong(roots.map(({ uri }) => uri).join(" "));
  });
  tool("count", {}, async (_given, extra) => {
    for (const number of [0, 1, 2]) {
      await progress(extra, number, 3);
      await pause(100);
    }
    return wrong("counted");
  });
  tool("log", {}, async (_given, extra) => {
    await extra.sendNotification({ method: "notifications/message", params: { level: "info", data: "the shop is open" } });
    return wrong("logged");
  });
  tool("wait", {}, async (_given, extra) => {
    extra.signal.addEventListener("abort", () => (stopped += 1));
    await progress(extra, 0, 1);
    for (let passed = 0; passed < 600 && !extra.signal.aborted; passed += 1) await pause(100);
    return wrong("waited");
  });
  tool("waited", {}, () => wrong(`called off: ${stopped}`));
  tool("grow", { name: z.string() }, ({ name }) => {
    tool(name, {}, () => wrong("hello"));
    return wrong("grown");
  });
  tool("resume", {}, async (_given, extra) => {
    extra.closeSSEStream?.();
    await pause(200);
    return wrong("resumed");
  });
  tool("resumed", {}, () => wrong(`resumed: ${resumed}`));
  return server;
}

function kept() {
  const events = [];
  return {
    async storeEvent(stream, message) {
      events.push([stream, message]);
      return String(events.length);
    },
    async replayEventsAfter(last, { send }) {
      resumed += 1;
      const [stream] = events[last - 1];
      for (let number = Number(last) + 1; number <= events.length; number += 1) {
        const [of, message] = events[number - 1];
        if (of === stream && message?.jsonrpc) await send(String(number), message);
      }
      return stream;
    },
  };
}

const sessions = new Map();
async function transport() {
  const made = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: kept(),
    retryInterval: 50,
    onsessioninitialized: (id) => sessions.set(id, made),
  });
  await shop().connect(made);
  return made;
}

const port = process.argv[2];
if (port) {
  createServer(async (request, response) => {
    const found = sessions.get(request.headers["mcp-session-id"]) ?? (await transport());
    await found.handleRequest(request, response);
  }).listen(Number(port), "127.0.0.1");
} else {
  await shop().connect(new StdioServerTransport());
}
