import { type Guardrail, type GuardrailJudge, type GuardrailSide, stops } from '../guardrails/guardrail.js';
import { Sentences } from '../guardrails/sentences.js';
import type { ProviderEvent, ScreenedSentence } from '../providers/voice-provider.js';

/**
 * When the words of the agent are judged.
 * - `by_provider`: it asks `screen` for each sentence before it is synthesised
 * - `whole`: its answers are texts, which are held until they are judged
 * - `first`: the words of a sentence arrive before its audio, which is held meanwhile
 * - `after`: words and audio arrive together, so that a part may have been heard
 */
export type GuardMode = 'by_provider' | 'whole' | 'first' | 'after';

interface GuardListener {
  /** A rule applies to these words. */
  hit(rule: Guardrail, words: string): void;
  /** The answer of the agent ends before the words, or with those that were heard. */
  cut(mode: GuardMode): void;
  /** The action of a rule that stops words, or follows them. */
  act(rule: Guardrail): void;
  /** A held event goes on. */
  resume(event: ProviderEvent): void;
}

/** A response of the model; given words are not judged. */
interface Judged {
  mode: GuardMode;
  splitter: Sentences;
  /** The end of its words so far. */
  tail: string;
  /** Rules that have applied to it. */
  applied: Set<string>;
  /** `whole`: its words. Otherwise what waits for a verdict. */
  held: ProviderEvent[];
  isWaiting: boolean;
  isCut: boolean;
}

type Later<T> = T | Promise<T>;

/** Words before those that a pattern can match. */
const MAX_TAIL = 400;
/** A faulty server begins responses without end. */
const MAX_RESPONSES = 64;

/** Judges what is said on one call by the rules of its agent. Decides only; the conversation speaks, transfers and ends. */
export class SpeechGuard {
  private readonly responses = new Map<string, Judged>();
  private listener: GuardListener | undefined;
  /** The verdict about the last words of the user. */
  private userVerdict: Promise<boolean> | undefined;
  private readonly aborted = new AbortController();

  /** Absent: the agent has no rules; one that takes over may have some. */
  constructor(private judge: GuardrailJudge | undefined) {}

  /** Another agent has taken over: its rules decide from here on. */
  judgeBy(judge: GuardrailJudge | undefined): void {
    this.judge = judge;
  }

  attach(listener: GuardListener): void {
    this.listener = listener;
  }

  /** To be called at the end of the call. */
  close(): void {
    this.aborted.abort();
    this.responses.clear();
  }

  /** For a provider that asks before it synthesises a sentence. */
  screen(sentence: string): Later<ScreenedSentence> {
    const { userVerdict } = this;
    const judged = (): Later<ScreenedSentence> =>
      after(this.rulesFor('agent', sentence), (rules) => {
        const stop = this.applied(rules, sentence);
        if (!stop) return { say: sentence, isLast: false };
        // The conversation speaks in the next turn of the event loop, after the response has ended.
        this.listener?.act(stop);
        return { isLast: true };
      });
    if (!userVerdict) return judged();
    return userVerdict.then((isStopped) => (isStopped ? { isLast: true } : judged()));
  }

  /** Judges words of the user. Returns whether they are not to be answered. */
  user(words: string): Later<boolean> {
    const verdict = after(this.rulesFor('user', words), (rules) => {
      const stop = this.applied(rules, words);
      if (stop) this.listener?.act(stop);
      return stop !== undefined;
    });
    this.userVerdict = verdict instanceof Promise ? verdict : undefined;
    return verdict;
  }

  /** Judges a tool call. Returns the rule that keeps the tool from running. */
  tool(name: string, argumentsJson: string): Later<Guardrail | undefined> {
    const words = `${name} ${argumentsJson}`;
    return after(this.rulesFor('tool', words), (rules) => this.applied(rules, words));
  }

  /** Runs the action of a rule. */
  act(rule: Guardrail): void {
    this.listener?.act(rule);
  }

  /** Begins a response of the model. */
  started(responseId: string, mode: GuardMode): void {
    if (!this.judge || mode === 'by_provider' || this.responses.size >= MAX_RESPONSES) return;
    const none = { splitter: new Sentences(), tail: '', applied: new Set<string>(), held: [] };
    this.responses.set(responseId, { mode, ...none, isWaiting: false, isCut: false });
  }

  /** Returns whether the event goes on now; a held one follows by `resume`, or is dropped. */
  passes(event: ProviderEvent): boolean {
    if (this.responses.size === 0 || !('responseId' in event)) return true;
    const response = this.responses.get(event.responseId);
    if (!response) return true;
    if (event.type === 'response_done') return this.done(event, response);
    if (event.type !== 'agent_text' && event.type !== 'audio') return true;
    if (response.isCut) return false;
    if (response.isWaiting || response.mode === 'whole') {
      response.held.push(event);
      return false;
    }
    return event.type === 'audio' || this.words(event, response);
  }

  /** The connection was lost: what was held is lost with it. */
  connectionLost(): void {
    this.responses.clear();
    this.userVerdict = undefined;
  }

  private words(event: Extract<ProviderEvent, { type: 'agent_text' }>, response: Judged): boolean {
    const { judge } = this;
    if (!judge) return true;
    response.tail = (response.tail + event.text).slice(-MAX_TAIL);
    const words = lastSentence(response.tail);
    const matched = judge.match('agent', response.tail).filter(({ name }) => !response.applied.has(name));
    for (const { name } of matched) response.applied.add(name);
    const stop = this.applied(matched, words);
    if (stop) {
      this.cut(response, stop);
      return false;
    }
    if (!judge.hasPolicies('agent')) return true;
    const isHeld = response.mode === 'first';
    const sentences = isHeld ? [event.text.trim()] : response.splitter.push(event.text);
    if (isHeld) {
      response.isWaiting = true;
      response.held.unshift(event);
    }
    if (sentences.length > 0) void this.askAbout(sentences, event.responseId, response);
    return !isHeld;
  }

  private async askAbout(sentences: readonly string[], responseId: string, response: Judged): Promise<void> {
    for (const sentence of sentences) {
      const rules = (await this.judge?.violated('agent', sentence, this.aborted.signal)) ?? [];
      if (this.aborted.signal.aborted || response.isCut) return;
      const fresh = rules.filter(({ name }) => !response.applied.has(name));
      for (const { name } of fresh) response.applied.add(name);
      const stop = this.applied(fresh, sentence);
      if (stop) {
        this.cut(response, stop);
        return this.release(responseId, response);
      }
    }
    if (response.mode === 'first') this.release(responseId, response);
  }

  private cut(response: Judged, rule: Guardrail): void {
    response.isCut = true;
    response.isWaiting = false;
    this.listener?.cut(response.mode);
    this.listener?.act(rule);
  }

  /** Continues with what has waited for the verdict about its first event. */
  private release(responseId: string, response: Judged): void {
    if (this.responses.get(responseId) !== response) return;
    response.isWaiting = false;
    const judged = response.held.shift();
    if (judged && !response.isCut) this.listener?.resume(judged);
    while (!response.isWaiting) {
      const event = response.held.shift();
      if (!event) return;
      if (this.passes(event)) this.listener?.resume(event);
    }
  }

  private done(event: Extract<ProviderEvent, { type: 'response_done' }>, response: Judged): boolean {
    if (response.isWaiting) {
      response.held.push(event);
      return false;
    }
    if (response.mode !== 'whole' || event.status !== 'completed' || response.held.length === 0) {
      const rest = response.mode === 'after' && !response.isCut ? response.splitter.end() : [];
      this.responses.delete(event.responseId);
      if (rest.length > 0 && this.judge?.hasPolicies('agent')) void this.askAbout(rest, event.responseId, response);
      return true;
    }
    response.isWaiting = true;
    const verdict = this.judgeWhole(event, response);
    if (verdict instanceof Promise) void verdict;
    return false;
  }

  /** A text is released whole, or as far as it may be read. */
  private judgeWhole(event: Extract<ProviderEvent, { type: 'response_done' }>, response: Judged): Later<void> {
    const texts = response.held.filter((one) => one.type === 'agent_text');
    const splitter = new Sentences();
    const sentences = [...splitter.push(texts.map(({ text }) => text).join('')), ...splitter.end()];
    return after(this.allowed(sentences), ({ count, stop }) => {
      this.responses.delete(event.responseId);
      const [first] = texts;
      if (!stop) response.held.forEach((one) => this.listener?.resume(one));
      else if (first && count > 0) this.listener?.resume({ ...first, text: sentences.slice(0, count).join(' ') });
      this.listener?.resume(event);
      if (stop) this.listener?.act(stop);
    });
  }

  /** How many sentences may be said, and the rule that stops the next one. */
  private allowed(sentences: readonly string[], count = 0): Later<{ count: number; stop?: Guardrail }> {
    const sentence = sentences[count];
    if (sentence === undefined) return { count };
    return after(this.rulesFor('agent', sentence), (rules) => {
      const stop = this.applied(rules, sentence);
      return stop ? { count, stop } : this.allowed(sentences, count + 1);
    });
  }

  /** The rules that apply; policies are asked only when no other rule stops the words. */
  private rulesFor(on: GuardrailSide, words: string): Later<Guardrail[]> {
    const { judge } = this;
    if (!judge) return [];
    const matched = judge.match(on, words);
    if (matched.some(stops) || !judge.hasPolicies(on) || words.trim() === '') return matched;
    return judge.violated(on, words, this.aborted.signal).then((more) => [...matched, ...more]);
  }

  /** Reports the rules up to the first one that stops the words, and returns that. */
  private applied(rules: readonly Guardrail[], words: string): Guardrail | undefined {
    if (this.aborted.signal.aborted) return undefined;
    for (const rule of rules) {
      this.listener?.hit(rule, words);
      if (stops(rule)) return rule;
      if (rule.action !== 'flag') this.listener?.act(rule);
    }
    return undefined;
  }
}

/** Without a promise where none is needed: events keep their order then. */
const after = <T, R>(value: Later<T>, use: (value: T) => Later<R>): Later<R> =>
  value instanceof Promise ? value.then(use) : use(value);

const lastSentence = (text: string): string =>
  text
    .trim()
    .split(/(?<=[.!?。！？])\s+/u)
    .at(-1) ?? '';
