export { DateTime } from './luxon.js';
export { timeZonesOf } from './number-time-zones.js';
export {
  type OpeningTimes,
  opennessAt,
  timeOfDayProblem,
  type TimeWindow,
  type Weekday,
  WEEKDAYS,
} from './time-windows.js';
export { isTimeZone, ZoneClock } from './zone-offsets.js';
