import type { Env, ModelName, ReasoningEffort, SummaryEnv } from '@app/common';
import { ENV } from '@app/common/settings';
import { argumentProblems, type JsonSchema } from '@app/json-schema';
import {
  type GenerationRequest,
  type LanguageModel,
  type ModelChoice,
  modelProblem,
  openModel,
  ProviderBusy,
  type ProviderSettings,
  providerSettings,
  ProviderUnavailable,
  systemClock,
  totalUsage,
  type UsageItem,
} from '@app/voice';
import { Inject, Injectable } from '@nestjs/common';
import { jsonIn } from './json-answer.js';

/** Of both attempts together. */
const TIMEOUT_MS = 120_000;
/** A model on a small server reads a long conversation for a minute before its first word. */
const STANDSTILL_MS = 90_000;
/** Vendors that require a limit get this one. */
const MAX_TOKENS = 8_192;
/** An answer with errors is shown to the model again up to this length. */
const MAX_SHOWN = 20_000;
const MAX_PROBLEMS = 20;
/** Of one answer; arguments of tools have the same limit in bytes. */
const MAX_ANSWER_LENGTH = 65_536;

/** A vendor as a pipeline names it, and its model. */
export interface TextModelChoice {
  provider: Exclude<ModelName, 'sandbox'>;
  model: string;
  reasoningEffort?: ReasoningEffort;
}

interface ModelQuestion {
  /** Absent: the operator's, see ANALYSIS_MODEL. */
  model?: TextModelChoice;
  /** What the model is to do. The schema of the answer is added. */
  system: string;
  /** The material, which may hold text of strangers. */
  prompt: string;
  /** Draft 2020-12 within the limits of tool schemas. The answer is an object. */
  schema: JsonSchema;
  /** Further errors of an answer that keeps the schema, as sentences that a model can act on. */
  check?: (value: Record<string, unknown>) => readonly string[];
  signal?: AbortSignal;
  timeoutMs?: number;
}

interface ModelAnswer {
  value: Record<string, unknown>;
  /** Of all attempts; the source is `vendor:model`. */
  usage: UsageItem[];
  /** `vendor:model`. */
  model: string;
}

/**
 * `unavailable`: not configured, or refused by the vendor: a retry is useless. `busy`, `failed`, `timeout`: a later attempt may succeed.
 * `invalid_answer`: the answer broke the schema twice.
 */
type TextModelFailure = 'unavailable' | 'busy' | 'failed' | 'timeout' | 'invalid_answer';

/** A model gave no usable answer. The message is a sentence without keys and without text of the conversation. */
export class TextModelFailed extends Error {
  constructor(
    readonly code: TextModelFailure,
    message: string,
    /** Of the attempts before the failure, which are charged as well. */
    readonly usage: UsageItem[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Structured answers of text models. Vendors, addresses and keys are those of the language models of pipelines. */
@Injectable()
export class TextModelsService {
  private readonly settings: ProviderSettings;
  private readonly byDefault: { model: TextModelChoice; settings: ProviderSettings } | undefined;

  constructor(@Inject(ENV) env: Env) {
    this.settings = providerSettings(env);
    this.byDefault = operatorsModel(env, this.settings);
  }

  /** Why questions to this model, or to the operator's, cannot be asked here; undefined: they can. */
  async problem(model?: TextModelChoice): Promise<string | undefined> {
    const chosen = this.chosen(model);
    if (!chosen) return 'No text model is configured (ANALYSIS_MODEL).';
    return (await modelProblem(chosen.model, { settings: chosen.settings }))?.message;
  }

  async isAvailable(model?: TextModelChoice): Promise<boolean> {
    return (await this.problem(model)) === undefined;
  }

  /**
   * Asks for an answer that keeps the schema; a wrong answer is returned to the model once, with its errors. Throws TextModelFailed, or
   * the reason of the signal.
   */
  async ask(question: ModelQuestion): Promise<ModelAnswer> {
    const { signal: given, timeoutMs = TIMEOUT_MS } = question;
    given?.throwIfAborted();
    const opened = await this.open(question.model);
    const limit = AbortSignal.timeout(timeoutMs);
    const signal = given ? AbortSignal.any([given, limit]) : limit;
    const conversation = new QuestionRun(opened, question, signal);
    try {
      return { ...(await conversation.run()), model: opened.name };
    } catch (error) {
      given?.throwIfAborted();
      const usage = totalUsage(conversation.usage);
      if (!limit.aborted) throw failureOf(error, usage);
      throw new TextModelFailed('timeout', `${opened.name} did not answer within ${timeoutMs / 1_000} s.`, usage);
    }
  }

  private chosen(model: TextModelChoice | undefined) {
    return model ? { model, settings: this.settings } : this.byDefault;
  }

  private async open(model: TextModelChoice | undefined): Promise<LanguageModel> {
    const chosen = this.chosen(model);
    const problem = await this.problem(model);
    if (!chosen || problem !== undefined) throw new TextModelFailed('unavailable', problem ?? '');
    const choice: ModelChoice = { ...chosen.model, maxTokens: MAX_TOKENS };
    return openModel(choice, { settings: chosen.settings, clock: systemClock });
  }
}

/** One question: the first answer and its repair. */
class QuestionRun {
  readonly usage: UsageItem[] = [];
  private readonly messages: GenerationRequest['messages'][number][];

  constructor(
    private readonly model: LanguageModel,
    private readonly question: ModelQuestion,
    private readonly signal: AbortSignal,
  ) {
    this.messages = [{ role: 'user', text: question.prompt }];
  }

  async run(): Promise<Omit<ModelAnswer, 'model'>> {
    const first = await this.answer();
    const problems = this.problemsOf(first);
    if (problems.length === 0) return this.result(first.value);
    this.messages.push(
      { role: 'assistant', text: first.text.slice(0, MAX_SHOWN) || '{}' },
      { role: 'user', text: repairOf(problems) },
    );
    const second = await this.answer();
    const left = this.problemsOf(second);
    if (left.length === 0) return this.result(second.value);
    const reason = `The answers of ${this.model.name} did not match the schema: ${left.slice(0, 3).join('; ')}.`;
    throw new TextModelFailed('invalid_answer', reason, totalUsage(this.usage));
  }

  private result(value: unknown): Omit<ModelAnswer, 'model'> {
    return { value: value as Record<string, unknown>, usage: totalUsage(this.usage) };
  }

  private async answer(): Promise<{ text: string; value: unknown }> {
    const request: GenerationRequest = {
      instructions: `${this.question.system}\n\n${schemaNote(this.question.schema)}`,
      messages: this.messages,
      tools: [],
      json: true,
      standstillMs: STANDSTILL_MS,
    };
    let text = '';
    for await (const event of this.model.generate(request, this.signal)) {
      if (event.type === 'text') text += event.text;
      if (event.type === 'usage') this.usage.push(...event.items);
      if (text.length > MAX_ANSWER_LENGTH) throw this.tooLong();
    }
    // An abort ends the answer without an error.
    this.signal.throwIfAborted();
    return { text, value: jsonIn(text) };
  }

  /** A repetition would be as long. */
  private tooLong(): TextModelFailed {
    const reason = `The answer of ${this.model.name} is longer than ${MAX_ANSWER_LENGTH} characters.`;
    return new TextModelFailed('invalid_answer', reason, totalUsage(this.usage));
  }

  private problemsOf({ value }: { value: unknown }): readonly string[] {
    if (value === undefined) return ['the answer is not one JSON object'];
    const problems = argumentProblems(this.question.schema, value);
    if (problems) return problems.map((one) => one.replace(/^arguments:/, 'answer:'));
    return this.question.check?.(value as Record<string, unknown>) ?? [];
  }
}

const schemaNote = (schema: JsonSchema): string =>
  `Answer with one JSON object and nothing else. It must be valid against this JSON Schema:\n${JSON.stringify(schema)}`;

const repairOf = (problems: readonly string[]): string =>
  `That answer is not valid:\n${problems
    .slice(0, MAX_PROBLEMS)
    .map((one) => `- ${one}`)
    .join('\n')}\nAnswer again with the whole corrected JSON object and nothing else.`;

function failureOf(error: unknown, usage: UsageItem[]): TextModelFailed {
  if (error instanceof TextModelFailed) return error;
  const { message } = error as Error;
  const code = error instanceof ProviderUnavailable ? 'unavailable' : error instanceof ProviderBusy ? 'busy' : 'failed';
  return new TextModelFailed(code, message, usage, { cause: error });
}

/** The vendor and the model of ANALYSIS_MODEL, or the server of the summaries. */
function operatorsModel(
  env: Env,
  settings: ProviderSettings,
): { model: TextModelChoice; settings: ProviderSettings } | undefined {
  const { ANALYSIS_MODEL: named, SUMMARY_MODEL: summary } = env;
  if (named === 'none') return undefined;
  if (named !== undefined) {
    const at = named.indexOf(':');
    const provider = named.slice(0, at) as TextModelChoice['provider'];
    return { model: { provider, model: named.slice(at + 1) }, settings };
  }
  if (summary === undefined) return undefined;
  const provider = env.SUMMARY_URL === undefined ? 'openai' : 'openai-compatible';
  return { model: { provider, model: summary }, settings: withSummaryServer(env, settings) };
}

function withSummaryServer(env: SummaryEnv, settings: ProviderSettings): ProviderSettings {
  const key = env.SUMMARY_API_KEY ?? env.OPENAI_API_KEY;
  // A server of the Responses API has chat completions beside it.
  const url = env.SUMMARY_URL?.replace(/\/(?:responses|chat\/completions)\/?(?=\?|$)/, '');
  const server = url === undefined ? { openai: { url: OPENAI, key } } : { compatible: { url, key } };
  return { ...settings, vendors: { ...settings.vendors, ...server } };
}

/** Summaries go there without SUMMARY_URL, whatever OPENAI_URL is. */
const OPENAI = 'https://api.openai.com/v1';
