// The Python modules of a project by their dotted names, each parsed once.
import type { Notes } from "../notes.ts";
import type { ProjectFiles } from "../project-files.ts";
import type { EvaluationContext } from "./evaluate.ts";
import { parseModule, type PythonModule } from "./module.ts";

/** Expressions that are looked at for one agent. */
const evaluationBudget = 20_000;

export class PythonModules {
  private readonly files: ProjectFiles;
  private readonly notes: Notes;
  private readonly parsed = new Map<string, PythonModule>();

  constructor(files: ProjectFiles, notes: Notes) {
    this.files = files;
    this.notes = notes;
  }

  /** A module of the project, or why there is none. */
  find(name: string): PythonModule | string {
    if (!/^[\p{L}\p{N}_]+(\.[\p{L}\p{N}_]+)*$/u.test(name)) return "is not the name of a module";
    const base = name.replaceAll(".", "/");
    const reasons: string[] = [];
    for (const path of [`${base}.py`, `${base}/__init__.py`]) {
      const module = this.open(path);
      if (typeof module !== "string") return module;
      reasons.push(`${path} ${module}`);
    }
    return reasons.join(", and ");
  }

  open(path: string): PythonModule | string {
    const known = this.parsed.get(path);
    if (known !== undefined) return known;
    const read = this.files.read(path);
    if (!read.ok) return read.message;
    const module = parseModule(path, read.file, read.text);
    this.parsed.set(path, module);
    for (const place of module.errors) {
      this.notes.warn(place, "Python is not understood from here on; what follows may be missing in the manifests");
    }
    return module;
  }

  context(module: PythonModule): EvaluationContext {
    return {
      module,
      budget: { left: evaluationBudget },
      readText: (path) => {
        const read = this.files.read(path);
        return read.ok ? { ok: true, text: read.text } : { ok: false, message: read.message };
      },
    };
  }
}
