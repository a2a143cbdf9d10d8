// The router of the panel: it has the current address before the first render.
import { type ComponentProps, createContext } from "react";
import type { RouterProvider } from "react-router";

export type Router = ComponentProps<typeof RouterProvider>["router"];

export const RouterContext = createContext<Router | undefined>(undefined);
