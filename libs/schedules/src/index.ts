export { timeZonesOf } from './number-time-zones.js';
export {
  isTimeZone,
  type OpeningTimes,
  opennessAt,
  type TimeWindow,
  timeOfDayProblem,
  type Weekday,
  WEEKDAYS,
} from './time-windows.js';
