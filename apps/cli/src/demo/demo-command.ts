import { type PhoneCallRecord, startSandboxPhone } from '@app/sandbox/phone';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checksOf, report, Timeline } from './demo-checks.js';
import {
  ARTICLE,
  createTool,
  DESK_NAME,
  DESK_SCRIPT,
  fetchResults,
  FLOW,
  FLOW_SCRIPT,
  learn,
  ORDER_KEY,
  placeCall,
  POLICY_SCRIPT,
  PRICE_LIST,
  SCRIPT,
  teach,
  TOOL,
  TRANSFER_KEY,
  writeOutput,
  writePriceList,
} from './demo-api.js';
import { startDemoService } from './demo-service.js';
import { DemoShop, DemoWebhookReceiver } from './demo-receivers.js';
import { Problem } from '../problem.js';
import { StopRequest } from '../supervisor/stop-request.js';

const OUTPUT = 'demo-output';
const CALL_MS = 120_000;
const HOST = '127.0.0.1';
/** An extension of the sandbox phone that answers and hangs up after 3 s. */
const COLLEAGUE = '+15550002298';
/** An extension that answers and talks for some turns. */
const TALKER = 'answer';

/**
 * Runs the complete scenario once, on free ports and in a temporary home: a knowledge base from a file, a tool with a webhook, a SIP call to
 * the sandbox phone with audio in both directions, in which the agent answers a question, places an order and transfers the user, signed
 * webhooks, a call with three vendors, one with a question that shares no word with its answer, and one that follows a flow and is handed
 * over to another agent. Resolves with true only if every check passed; the results are in `demo-output/`. Throws Problem when a signal stops it.
 */
export async function demo(): Promise<boolean> {
  const closers: Closer[] = [];
  const stop = new StopRequest(() => process.exit(1));
  const stopped = stop.made.then((): never => {
    throw new Problem('The demo was stopped before it was complete.');
  });
  try {
    return await Promise.race([story(closers), stopped]);
  } finally {
    for (const close of closers.toReversed()) await close();
    stop.dispose();
  }
}

type Closer = () => Promise<unknown>;

/** Adds a closer for each resource that it opens. */
async function story(closers: Closer[]): Promise<boolean> {
  await rm(OUTPUT, { recursive: true, force: true });
  await mkdir(OUTPUT, { recursive: true });
  const timeline = new Timeline();
  const sink = await DemoWebhookReceiver.start((event) => timeline.say(`webhook received: ${event}`));
  closers.push(() => sink.close());
  const shop = await DemoShop.start((path) =>
    timeline.say(`tool's webhook received: POST ${path}, answered after 2 s`),
  );
  closers.push(() => shop.close());
  const phone = await startSandboxPhone({ bind: HOST, port: 0, rtpPorts: { min: 26_000, max: 26_999 }, log: QUIET });
  closers.push(() => phone.close());
  const starting = startDemoService(join(OUTPUT, 'service.log'), (line) => timeline.say(line));
  // A failed start has closed its resources, and `story` throws its error.
  closers.push(() => starting.then((service) => service.stop()).catch(() => undefined));
  const service = await starting;
  const account = await service.provision(workspaceOf(sink.url, phone.port));
  timeline.say(`account, agent and number come from a workspace file (agent_id ${account.agentId})`);
  const knowledge = await learn(service.baseUrl, account, await writePriceList(OUTPUT));
  timeline.say(
    `knowledge base from ${PRICE_LIST}: ${String(knowledge.status)}, ${String(knowledge.chunk_count)} passages`,
  );
  timeline.say(`knowledge bases from texts: ${await teach(service.baseUrl, account)} can be found by meaning`);
  const toolId = await createTool(service.baseUrl, account, shop.url);
  timeline.say(`tool ${TOOL} (id ${toolId}) with a webhook`);
  const destination = `sip:press_${ARTICLE}_${ORDER_KEY}_${TRANSFER_KEY}@${HOST}:${phone.port}`;
  const call = async (agentId: number, to: string) => {
    const callId = await placeCall(service.baseUrl, account, { agentId, destination: to });
    timeline.say(`POST /api/v1/calls: ${callId} to ${to}`);
    await sink.until(callId, 'ended', CALL_MS);
    return { callId, results: await fetchResults(service.baseUrl, account.token, callId) };
  };
  const { callId, results } = await call(account.agentId, destination);
  const [heard, colleague]: PhoneCallRecord[] = phone.calls;
  const second = await call(account.pipelineAgentId, `sip:${TALKER}@${HOST}:${phone.port}`);
  const third = await call(account.policyAgentId, `sip:${TALKER}@${HOST}:${phone.port}`);
  const fourth = await call(account.flowAgentId, `sip:press_1_9@${HOST}:${phone.port}`);
  await writeOutput(OUTPUT, { timeline: timeline.lines, webhooks: sink.of(callId), ...results });
  console.log(`\nWhat happened (files in ${OUTPUT}/):`);
  return report(
    checksOf({
      webhooks: sink.of(callId),
      signed: sink.signed(sink.of(callId), account.webhookSecret),
      heard,
      colleague,
      pipeline: { call: second.results.call, heard: phone.calls.find(({ extension }) => extension === TALKER) },
      policy: sink.of(third.callId).at(-1),
      flowed: sink.of(fourth.callId).at(-1)?.body.data ?? {},
      orders: shop.orders,
      ordersSigned: shop.signed(account.webhookSecret),
      knowledge,
      ...results,
    }),
  );
}

const QUIET = { debug: () => {}, warn: () => {} };

const workspaceOf = (webhookUrl: string, phonePort: number) => ({
  accounts: [
    {
      name: 'demo',
      numbers: [{ name: 'main', e164: '+15550001111' }],
      trunks: [{ name: 'phone', host: HOST, port: phonePort, transport: 'udp' }],
      agents: [
        {
          name: 'Demo receptionist',
          provider: 'sandbox',
          script: SCRIPT,
          instructions: 'You call on behalf of Trunkline to show that everything works.',
          variables: [{ name: 'customer', required: true }],
          greeting:
            'Hello {{customer}}, this is Trunkline calling. Everything you hear now went over a real phone line.',
          call_transfer: { enabled: true, phone_number: COLLEAGUE, caller_id_number: 'main' },
          call_status_webhook: { url: webhookUrl },
          post_call_webhook: { url: webhookUrl },
        },
        {
          name: 'Demo pipeline',
          provider: 'pipeline',
          pipeline: {
            transcriber: { provider: 'deepgram' },
            model: { provider: 'anthropic', model: 'claude-haiku-4-5' },
            synthesizer: { provider: 'elevenlabs' },
          },
          instructions: 'You call on behalf of Trunkline to show a transcriber, a language model and a synthesizer.',
          greeting: 'Hello, here three vendors speak as one.',
          call_status_webhook: { url: webhookUrl },
          post_call_webhook: { url: webhookUrl },
        },
        {
          name: 'Demo policy',
          provider: 'sandbox',
          script: POLICY_SCRIPT,
          instructions: 'You answer questions about the shop from your knowledge.',
          greeting: 'Hello, what would you like to know about our shop?',
          call_status_webhook: { url: webhookUrl },
          post_call_webhook: { url: webhookUrl },
        },
        {
          name: 'Demo flow',
          provider: 'sandbox',
          script: FLOW_SCRIPT,
          instructions: 'You find the right department.',
          greeting: 'Hello, for repairs press one.',
          flow: FLOW,
          post_call_webhook: { url: webhookUrl },
        },
        {
          name: DESK_NAME,
          provider: 'sandbox',
          script: DESK_SCRIPT,
          instructions: 'You arrange repairs.',
        },
      ],
    },
  ],
});
