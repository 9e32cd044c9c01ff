import { AccountLimitsService, didYouMean } from '@app/accounts';
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
  async complete(accountId: number, body: ErrorBody, numbers: Readonly<Record<string, string>> = {}): Promise<void> {
    if (Object.keys(numbers).length === 0) return;
    const country = await this.limits.defaultCountry(accountId);
    for (const [field, text] of Object.entries(numbers)) {
      const [sentence] = body.errors?.[field] ?? [];
      const suggestion = didYouMean(text, country);
      if (sentence === undefined || sentence.endsWith(suggestion)) continue;
      body.errors![field]![0] = `${sentence}${suggestion}`;
      // The message begins with the first error.
      if (body.message.startsWith(sentence)) body.message = body.message.replace(sentence, `${sentence}${suggestion}`);
    }
  }
}
