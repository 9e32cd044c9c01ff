import { LanguageSample } from './text-language.js';
import { type TextQuality, TextQualityMeter } from './text-quality.js';

/** The measures of a text beside its sizes. */
export interface TextMeasures {
  /** ISO 639; null: unknown. */
  language: string | null;
  quality: TextQuality;
}

/** Measures the passages of a document one by one. */
export class TextMeter {
  private readonly language = new LanguageSample();
  private readonly quality = new TextQualityMeter();

  add(text: string): void {
    this.language.add(text);
    this.quality.add(text);
  }

  /** `unreadable`: glyphs without a character that an extractor has left out. */
  async measures(unreadable = 0): Promise<TextMeasures> {
    return { language: await this.language.language(), quality: this.quality.verdict(unreadable) };
  }
}
