/** Where all pages are, except the lists, forms and pages of contents. */
export const loadPages = () => import("./pages");
