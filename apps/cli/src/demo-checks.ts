import type { PhoneCallRecord } from '@app/telephony';
import { channelLoudness, isAudible } from './demo-audio.js';
import type { DemoResults } from './demo-call.js';
import { ANSWER, ARTICLE, PRICE_LIST } from './demo-knowledge.js';
import type { DemoWebhook } from './demo-sink.js';
import type { Check } from './demo-timeline.js';

const STORY = 'initiated ringing in-progress completed ended';

export interface DemoFacts extends DemoResults {
  webhooks: DemoWebhook[];
  /** How many of them are rightly signed. */
  signed: number;
  /** The knowledge base, as the API shows it. */
  knowledge: Record<string, unknown>;
  /** What the phone knows of the call; undefined: no call came in. */
  heard: PhoneCallRecord | undefined;
}

/** Every link of the chain, each by what its far end saw. */
export function checksOf(facts: DemoFacts): Check[] {
  return [...lineChecks(facts), ...knowledgeChecks(facts), ...webhookChecks(facts), ...recordChecks(facts)];
}

function lineChecks({ heard }: DemoFacts): Check[] {
  return [
    { what: 'the call arrived at the phone over SIP and was answered', ok: heard?.answeredAt !== undefined },
    {
      what: 'the phone heard the agent speak',
      ok: (heard?.heardVoiceMs ?? 0) > 500,
      found: `${heard?.heardVoiceMs ?? 0} ms`,
    },
  ];
}

function knowledgeChecks({ knowledge, webhooks }: DemoFacts): Check[] {
  const data = webhooks.at(-1)?.body.data ?? {};
  const [search] = (data.knowledge_searches ?? []) as { query: string; results: { text: string; source: string }[] }[];
  const [best] = search?.results ?? [];
  const said = (data.transcript ?? []) as { role: string; text: string }[];
  return [
    {
      what: 'the knowledge base has read its file',
      ok: knowledge.status === 'completed',
      found: JSON.stringify([knowledge.status, knowledge.processing_error]),
    },
    {
      what: 'the agent looked up what the phone typed, and found the right row of the file',
      ok: search?.query === ARTICLE && best?.source === PRICE_LIST && best.text.includes(ANSWER),
      found: JSON.stringify(search ?? null).slice(0, 300),
    },
    {
      what: 'the agent said what it had found',
      ok: said.some(({ role, text }) => role === 'agent' && text.includes('costs three euros')),
    },
  ];
}

function webhookChecks({ webhooks, signed }: DemoFacts): Check[] {
  const events = webhooks.map((webhook) => webhook.body.event).join(' ');
  const sequence = webhooks.map((webhook) => webhook.body.sequence);
  const postCall = webhooks.at(-1)?.body.data ?? {};
  const transcript = Array.isArray(postCall.transcript) ? (postCall.transcript as { role: string }[]) : [];
  return [
    {
      what: 'every webhook arrived, in order',
      ok: events === STORY && sequence.every((n, i) => n === i + 1),
      found: events,
    },
    {
      what: 'every webhook is signed (Standard Webhooks)',
      ok: signed > 0 && signed === webhooks.length,
      found: `${signed} of ${webhooks.length}`,
    },
    {
      what: 'the transcript has the agent and the callee',
      ok: ['agent', 'callee'].every((role) => transcript.some((turn) => turn.role === role)),
    },
    {
      what: 'the agent heard the keys that the phone pressed',
      ok: String(postCall.summary).includes('Keys pressed'),
      found: String(postCall.summary),
    },
  ];
}

function recordChecks({ call, recording, webhooks }: DemoFacts): Check[] {
  const loudness = recording ? channelLoudness(recording) : { callee: 0, agent: 0 };
  const costs = (webhooks.at(-1)?.body.data.costs ?? []) as { amount: number }[];
  const billed = costs.reduce((sum, line) => sum + Math.round(line.amount * 1e6), 0);
  return [
    { what: 'the call is completed', ok: call.status === 'completed', found: String(call.status) },
    { what: 'the cost lines add up to the cost', ok: billed > 0 && billed === Math.round(Number(call.cost) * 1e6) },
    {
      what: 'the recording has the sound of the agent',
      ok: isAudible(loudness.agent),
      found: `level ${loudness.agent}`,
    },
    {
      what: 'the recording has the sound of the callee',
      ok: isAudible(loudness.callee),
      found: `level ${loudness.callee}`,
    },
  ];
}
