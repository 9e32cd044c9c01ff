import { AccountLimitsService, didYouMean } from '@app/accounts';
import { type FieldErrors, type FieldProblem, InvalidFields } from '@app/common';
import { Injectable } from '@nestjs/common';

interface ErrorBody {
  message: string;
  errors?: Record<string, string[]>;
}

/** Completes the errors of phone numbers that are not E.164. */
@Injectable()
export class NumberSuggestionsService {
  constructor(private readonly limits: AccountLimitsService) {}

  /** Adds to each error what its number would be, with the default country of the account for numbers without a country code. */
  async complete(accountId: number, body: ErrorBody, problems: FieldErrors): Promise<void> {
    const country = await this.limits.defaultCountry(accountId);
    for (const [field, [problem]] of Object.entries(problems)) {
      const text = writtenNumberOf(problem);
      const [sentence] = body.errors?.[field] ?? [];
      if (text === undefined) continue;
      const suggestion = didYouMean(text, country);
      if (sentence === undefined || sentence.endsWith(suggestion)) continue;
      body.errors![field]![0] = `${sentence}${suggestion}`;
      // The message begins with the first error.
      if (body.message.startsWith(sentence)) body.message = body.message.replace(sentence, `${sentence}${suggestion}`);
    }
  }
}

const writtenNumberOf = (problem: FieldProblem | undefined): string | undefined =>
  typeof problem === 'object' ? problem.writtenNumber : undefined;

/** Whether one of the fields was meant as a phone number. */
export const hasWrittenNumber = (error: unknown): error is InvalidFields =>
  error instanceof InvalidFields &&
  Object.values(error.problems).some(([problem]) => writtenNumberOf(problem) !== undefined);
