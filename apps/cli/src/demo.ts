import { startSandboxPhone, type PhoneCallRecord } from '@app/telephony';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checksOf } from './demo-checks.js';
import { cancelCall, fetchResults, placeCall, writeOutput } from './demo-call.js';
import { ARTICLE, learn, PRICE_LIST, writePriceList } from './demo-knowledge.js';
import { startDemoService, type DemoService } from './demo-service.js';
import { DemoSink } from './demo-sink.js';
import { report, Timeline } from './demo-timeline.js';

const OUTPUT = 'demo-output';
const CALL_MS = 90_000;
const ENDING_MS = 30_000;
const HOST = '127.0.0.1';

/**
 * The whole story once, on free ports, in a temporary home: a knowledge base from a file, a real SIP call to the sandbox phone, with
 * audio both ways, in which the agent looks something up, told by signed webhooks. True only if all of it happened; what it left is in `demo-output/`.
 */
export async function demo(): Promise<boolean> {
  await rm(OUTPUT, { recursive: true, force: true });
  await mkdir(OUTPUT, { recursive: true });
  const timeline = new Timeline();
  const sink = await DemoSink.start((event) => timeline.say(`webhook received: ${event}`));
  const phone = await startSandboxPhone({ bind: HOST, port: 0, rtpPorts: { min: 26_000, max: 26_999 }, log: QUIET });
  let service: DemoService | undefined;
  try {
    service = await startDemoService(join(OUTPUT, 'service.log'), (line) => timeline.say(line));
    const account = await service.provision(workspaceOf(sink.url));
    timeline.say(`account, agent and number come from a workspace file (agent_id ${account.agentId})`);
    const knowledge = await learn(service.baseUrl, account, await writePriceList(OUTPUT));
    timeline.say(
      `knowledge base from ${PRICE_LIST}: ${String(knowledge.status)}, ${String(knowledge.chunk_count)} passages`,
    );
    const destination = `sip:press_${ARTICLE}@${HOST}:${phone.port}`;
    const callId = await placeCall(service.baseUrl, account, destination);
    timeline.say(`POST /api/v1/calls: ${callId} to ${destination}`);
    // Enough was said when the phone has answered what the agent had looked up.
    const answered = phone.waitFor((call) => call.said.includes('goOn'));
    await Promise.race([answered, sink.until(callId, 'ended', CALL_MS)]);
    timeline.say(`POST /api/v1/calls/${callId}/cancel: ${await cancelCall(service.baseUrl, account, callId)}`);
    await sink.until(callId, 'ended', ENDING_MS);
    const results = await fetchResults(service.baseUrl, account.token, callId);
    const heard: PhoneCallRecord | undefined = phone.calls[0];
    await writeOutput(OUTPUT, { timeline: timeline.lines, webhooks: sink.of(callId), ...results });
    console.log(`\nWhat happened (files in ${OUTPUT}/):`);
    return report(
      checksOf({
        webhooks: sink.of(callId),
        signed: sink.signed(sink.of(callId), account.webhookSecret),
        heard,
        knowledge,
        ...results,
      }),
    );
  } finally {
    await service?.stop();
    await phone.close();
    await sink.close();
  }
}

const QUIET = { debug: () => {}, warn: () => {} };

const workspaceOf = (webhookUrl: string) => ({
  accounts: [
    {
      name: 'demo',
      numbers: [{ name: 'main', e164: '+15550001111' }],
      agents: [
        {
          name: 'Demo receptionist',
          provider: 'sandbox',
          instructions: 'You call on behalf of Trunkline to show that everything works.',
          greeting: 'Hello, this is Trunkline calling. Everything you hear now went over a real phone line.',
          call_status_webhook: { url: webhookUrl },
          post_call_webhook: { url: webhookUrl },
        },
      ],
    },
  ],
});
