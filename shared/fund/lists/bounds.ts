/** The rows of the fund that a page of a filtered list examines. They take some ten milliseconds. */
export const EXAMINED_IN_FUND = 20_000;
/** The rows of one archive that such a page examines. Each is parsed. */
export const EXAMINED_IN_ARCHIVE = 10_000;
/** The archives that such a page reads. */
export const ARCHIVES_A_PAGE = 3;
