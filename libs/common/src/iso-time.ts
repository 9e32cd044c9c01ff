/** ISO 8601 with the offset spelled out, as Laravel writes it. */
export const isoTime = (date: Date): string => date.toISOString().replace('Z', '+00:00');

export const timeOrNull = (date: Date | null): string | null => (date ? isoTime(date) : null);
