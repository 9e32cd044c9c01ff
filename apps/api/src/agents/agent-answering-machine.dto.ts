import type { AgentSettingsView } from '@app/agents';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

const ON_MACHINE = ['hang_up', 'leave_message', 'go_on'] as const;

export class AgentAnsweringMachineDto implements NonNullable<AgentSettingsView['answering_machine']> {
  @ApiProperty({
    type: 'boolean',
    default: true,
    description: 'Whether humans and machines are distinguished.',
    example: true,
  })
  detect: boolean;

  @ApiProperty({
    type: 'string',
    enum: ON_MACHINE,
    default: 'hang_up',
    description: 'Reaction to an answering machine.',
    example: 'leave_message',
  })
  on_machine: (typeof ON_MACHINE)[number];

  @ApiProperty({
    type: 'string',
    maxLength: 2_000,
    default: '',
    description: 'Text that is spoken after the beep; required for `leave_message`. May contain placeholders.',
    example: 'This is ACME. Please call us back.',
  })
  message: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 120,
    default: 30,
    description: 'Maximum waiting time for the beep in seconds.',
    example: 30,
  })
  wait_for_beep_seconds: number;

  @ApiPropertyOptional({
    type: 'string',
    enum: ['answer', 'hang_up', 'go_on'],
    description:
      'Reaction to a service that asks who is calling, recognised by its words. `answer`: `screening_message` is spoken, and the agent waits for the person. Absent: as `on_machine`.',
    example: 'answer',
  })
  on_screening?: 'answer' | 'hang_up' | 'go_on';

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 2_000,
    description: 'Text that is spoken by `answer`: who is calling, and why. May contain placeholders.',
    example: 'This is ACME, about your delivery.',
  })
  screening_message?: string;

  @ApiPropertyOptional({
    type: 'string',
    enum: ['hang_up', 'go_on'],
    description: 'Reaction to a menu or an announcement, recognised by its words. Absent: as `on_machine`.',
    example: 'go_on',
  })
  on_ivr?: 'hang_up' | 'go_on';
}
