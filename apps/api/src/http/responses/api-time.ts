const EXAMPLE = '2026-01-02T03:04:05.678+00:00';

/** The documentation of a time, for ApiProperty. */
export const time = (description: string) =>
  ({ type: 'string', format: 'date-time', description, example: EXAMPLE }) as const;

/** The documentation of a time that may be null. */
export const nullableTime = (description: string, example: string | null = EXAMPLE) =>
  ({ type: 'string', format: 'date-time', nullable: true, description, example }) as const;
