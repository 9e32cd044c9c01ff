import {
  type AnalysisSettings,
  analysisAnswerSchema,
  TextModelFailed,
  TextModelsService,
  type TextModelChoice,
} from '@app/agents';
import { PRICE_BOOK, type CostLine, costOf, type PriceBook } from '@app/calls';
import { type UsageItem } from '@app/voice';
import { Inject, Injectable } from '@nestjs/common';
import type { AnalysisCost, FinishedAnalysis } from './call-analyses.repository.js';
import { analysisPrompt } from './domain/analysis-prompt.js';
import { provenResult } from './domain/analysis-result.js';
import type { CallMaterial } from './domain/call-material.js';
import { resultByRules } from './domain/rules.js';

const TIMEOUT_MS = 120_000;
const MAX_REASON_LENGTH = 500;
export const NO_COST: AnalysisCost = { lines: [], micros: 0 };

/** The model could not be reached or was overloaded; a later attempt may succeed. */
export class AnalysisRetry extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly cost: AnalysisCost,
  ) {
    super(message);
  }
}

/** Reads one call: by a text model with evidence for each value, or by rules when no model is configured. */
@Injectable()
export class CallAnalystService {
  constructor(
    private readonly models: TextModelsService,
    @Inject(PRICE_BOOK) private readonly prices: PriceBook,
  ) {}

  /** Whether the analysis asks a model, which costs money. */
  asksModel({ model }: AnalysisSettings): Promise<boolean> {
    return this.models.isAvailable(model && choiceOf(model));
  }

  /** Throws AnalysisRetry, and the reason of the signal. */
  async analyse(settings: AnalysisSettings, material: CallMaterial, signal: AbortSignal): Promise<FinishedAnalysis> {
    if (!(await this.asksModel(settings)))
      return { ...DONE, source: 'rules', model: null, result: resultByRules(settings, material), cost: NO_COST };
    const schema = analysisAnswerSchema(settings);
    const model = settings.model && choiceOf(settings.model);
    try {
      const question = { ...analysisPrompt(settings, material), model, schema, signal, timeoutMs: TIMEOUT_MS };
      const { value, usage, model: name } = await this.models.ask(question);
      const result = provenResult(settings, value, material);
      return { ...DONE, source: 'model', model: name, result, cost: this.costOf(usage) };
    } catch (error) {
      if (!(error instanceof TextModelFailed)) throw error;
      return this.failed(error);
    }
  }

  /** A wrong answer and a refusal end the analysis; everything else is tried again. */
  private failed({ code, message, usage }: TextModelFailed): FinishedAnalysis {
    const cost = this.costOf(usage);
    const reason = message.slice(0, MAX_REASON_LENGTH);
    if (code !== 'invalid_answer' && code !== 'unavailable') throw new AnalysisRetry(code, reason, cost);
    const error = { code: code === 'unavailable' ? 'model_unavailable' : code, message: reason };
    return { status: 'failed', source: 'model', model: null, result: null, error, cost };
  }

  private costOf(usage: UsageItem[]): AnalysisCost {
    const { lines, cost_micros: micros, price_book_version: book } = costOf(usage, this.prices);
    return { lines: lines.map((line) => costLine(line, book)), micros };
  }
}

const DONE = { status: 'completed', error: null } as const;

const choiceOf = ({
  provider,
  model,
  reasoning_effort: effort,
}: NonNullable<AnalysisSettings['model']>): TextModelChoice => ({
  provider,
  model,
  ...(effort === undefined ? {} : { reasoningEffort: effort }),
});

type PricedLine = ReturnType<typeof costOf>['lines'][number];

const costLine = (line: PricedLine, book: string): CostLine => ({
  kind: line.kind,
  description: `Analysis: ${line.kind.replaceAll('_', ' ')} (${line.source})`,
  quantity: line.quantity,
  unit: line.unit,
  unit_price_micros: line.unit_price_micro_usd,
  amount_micros: line.amount_micro_usd,
  price_book: book,
});
