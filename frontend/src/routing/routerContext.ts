// The router of the panel: it knows the current address before React has rendered it.
import { type ComponentProps, createContext } from "react";
import type { RouterProvider } from "react-router";

export type Router = ComponentProps<typeof RouterProvider>["router"];

export const RouterContext = createContext<Router | undefined>(undefined);
