/** One page of a list, as every list of the API answers. */
export interface Page<R> {
  content: R[];
  page: number;
  size: number;
  totalPages: number;
  totalElements: number;
}

/** The largest page that the server answers. */
export const largestPage = 1000;
