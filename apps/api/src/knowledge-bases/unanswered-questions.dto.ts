import { isoTime } from '@app/common';
import { ApiProperty } from '@nestjs/swagger';
import { FoundPassageDto } from '../calls/call-results.dto.js';
import type { UnansweredQuestion } from './unanswered-questions.service.js';

class UnansweredQuestionDto {
  @ApiProperty({ type: 'string', description: 'The question in its first wording.', example: 'Do you ship to Norway?' })
  question: string;

  @ApiProperty({
    type: [String],
    description: 'All wordings of the last search, three at most. They can be `questions` of a retrieval test.',
    example: ['Do you ship to Norway?', 'delivery countries'],
  })
  questions: string[];

  @ApiProperty({ type: 'integer', description: 'Number of searches.', example: 2 })
  searches: number;

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'ID of the last call with the question.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33',
  })
  call_id: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time of the last search.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  searched_at: string;

  @ApiProperty({
    type: FoundPassageDto,
    nullable: true,
    description:
      'The best passage of the last search, which was found by its meaning alone and may answer the question or not. Null: the search found nothing.',
    example: null,
  })
  nearest: FoundPassageDto | null;
}

export class UnansweredQuestionListDto {
  @ApiProperty({ type: [UnansweredQuestionDto], description: 'The questions, the last one first.' })
  data: UnansweredQuestionDto[];
}

export const unansweredQuestionOf = (one: UnansweredQuestion): UnansweredQuestionDto => ({
  question: one.questions[0]!,
  questions: one.questions,
  searches: one.searches,
  call_id: one.callId,
  searched_at: isoTime(one.searchedAt),
  nearest: one.nearest as FoundPassageDto | null,
});
