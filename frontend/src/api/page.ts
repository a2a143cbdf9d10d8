/** One page of a list: the response of every list of the API. */
export interface Page<R> {
  content: R[];
  page: number;
  size: number;
  totalPages: number;
  totalElements: number;
}

/** The largest page size of the server. */
export const largestPage = 1000;
