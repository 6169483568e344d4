//! Makes a program that shows a difference as small as possible, by removing and simplifying its parts, one
//! at a time, as long as the difference persists.

use super::tree::*;

/// Applies the `n`th possible change of its kind; false if there are not that many.
type Edit = fn(&mut Program, usize) -> bool;

/// Large cuts come first.
const EDITS: &[Edit] = &[
    drop_formula,
    drop_process,
    drop_statement,
    drop_option,
    open_statement,
    simplify_process,
    simplify_expression,
    simplify_formula,
    drop_declaration,
];

/// The smallest program that was found with at most `budget` trials.
pub fn shrink(program: &Program, mut budget: usize, mut persists: impl FnMut(&Program) -> bool) -> Program {
    let mut least = program.clone();
    loop {
        let before = least.clone();
        for edit in EDITS {
            let mut n = 0;
            loop {
                let mut candidate = least.clone();
                if !edit(&mut candidate, n) {
                    break;
                }
                if budget == 0 {
                    return least;
                }
                // Some edits leave a part that is already minimal unchanged.
                let changed = candidate != least;
                budget -= usize::from(changed);
                if changed && persists(&candidate) {
                    least = candidate;
                } else {
                    n += 1;
                }
            }
        }
        if least == before {
            return least;
        }
    }
}

fn drop_formula(program: &mut Program, n: usize) -> bool {
    remove(&mut program.formulas, n)
}

fn simplify_formula(program: &mut Program, mut n: usize) -> bool {
    for (_, formula) in &mut program.formulas {
        let mut simpler = formula.simpler();
        if n < simpler.len() {
            *formula = simpler.swap_remove(n);
            return true;
        }
        n -= simpler.len();
    }
    false
}

fn drop_process(program: &mut Program, n: usize) -> bool {
    remove(&mut program.procs, n)
}

fn drop_statement(program: &mut Program, mut n: usize) -> bool {
    let mut done = false;
    program.visit_blocks(&mut |block| {
        if !done {
            if n < block.len() {
                block.remove(n);
                done = true;
            } else {
                n -= block.len();
            }
        }
    });
    done
}

fn drop_option(program: &mut Program, mut n: usize) -> bool {
    let mut done = false;
    program.visit_blocks(&mut |block| {
        for stmt in block {
            if let Stmt::If(options) | Stmt::Do(options) = plain(stmt)
                && !done
            {
                if n < options.len() {
                    if options.len() > 1 {
                        options.remove(n);
                    }
                    done = true;
                } else {
                    n -= options.len();
                }
            }
        }
    });
    done
}

/// Replaces a statement by its contents.
fn open_statement(program: &mut Program, mut n: usize) -> bool {
    let mut done = false;
    program.visit_blocks(&mut |block| {
        for position in 0..block.len() {
            let inner: Vec<Block> = match &block[position] {
                Stmt::Label(_, stmt) => vec![vec![(**stmt).clone()]],
                Stmt::If(options) | Stmt::Do(options) => options.clone(),
                Stmt::For(_, body) | Stmt::Atomic(body) | Stmt::DStep(body) | Stmt::Group(body) => {
                    vec![body.clone()]
                }
                Stmt::Unless(main, escape) => vec![main.clone(), escape.clone()],
                _ => Vec::new(),
            };
            if done {
                return;
            }
            if n < inner.len() {
                block.splice(position..=position, inner[n].clone());
                done = true;
            } else {
                n -= inner.len();
            }
        }
    });
    done
}

fn simplify_process(program: &mut Program, n: usize) -> bool {
    let Some(proc) = program.procs.get_mut(n / 3) else { return false };
    match (n % 3, proc.start) {
        (0, _) => proc.provided = None,
        (1, _) => proc.priority = None,
        (_, Start::Active(_)) => proc.start = Start::Active(1),
        (_, Start::Run) if proc.parameters.is_empty() => proc.start = Start::Active(1),
        _ => {}
    }
    true
}

fn simplify_expression(program: &mut Program, n: usize) -> bool {
    const WAYS: usize = 4;
    let mut number = 0;
    let mut done = false;
    program.visit_exprs(&mut |expr| {
        if number == n / WAYS && !done {
            done = true;
            let simpler = match (n % WAYS, &*expr) {
                (0 | 1, Expr::Lit(0 | 1)) => None,
                (0, _) => Some(Expr::Lit(0)),
                (1, _) => Some(Expr::Lit(1)),
                (2, Expr::Binary(_, a, _) | Expr::Unary(_, a) | Expr::Conditional(_, a, _)) => {
                    Some((**a).clone())
                }
                (_, Expr::Binary(_, _, a) | Expr::Conditional(_, _, a)) => Some((**a).clone()),
                _ => None,
            };
            if let Some(simpler) = simpler {
                *expr = simpler;
            }
        }
        number += 1;
    });
    done
}

fn drop_declaration(program: &mut Program, n: usize) -> bool {
    if n == 0 {
        program.trace = None;
        return true;
    }
    let mut n = n - 1;
    if remove(&mut program.preamble, n) {
        return true;
    }
    n -= program.preamble.len();
    if remove(&mut program.inlines, n) {
        return true;
    }
    n -= program.inlines.len();
    let procs = program.procs.iter_mut().map(|proc| &mut proc.locals);
    for decls in std::iter::once(&mut program.globals).chain(procs) {
        // First the whole declaration, then its initial value only.
        if n < 2 * decls.len() {
            if n.is_multiple_of(2) {
                decls.remove(n / 2);
            } else if !decls[n / 2].before.ends_with("chan") {
                decls[n / 2].initial = None;
            }
            return true;
        }
        n -= 2 * decls.len();
    }
    false
}

fn remove<T>(items: &mut Vec<T>, n: usize) -> bool {
    let there = n < items.len();
    if there {
        items.remove(n);
    }
    there
}

/// The statement without its labels.
fn plain(stmt: &mut Stmt) -> &mut Stmt {
    match stmt {
        Stmt::Label(_, stmt) => plain(stmt),
        stmt => stmt,
    }
}

#[cfg(test)]
mod tests {
    use super::super::generate::{Purpose, program};
    use super::*;

    #[test]
    fn finds_the_least_program_with_an_assertion() {
        let has_assertion = |program: &Program| program.constructs().contains("assert");
        let large = (0..100).map(|index| program(1, index, Purpose::Safety)).find(has_assertion).unwrap();
        let least = shrink(&large, 10_000, has_assertion);
        assert_eq!(least.procs.len() + least.inlines.len(), 1);
        let body = least.procs.first().map_or_else(|| &least.inlines[0].body, |proc| &proc.body);
        assert!(matches!(body[..], [Stmt::Assert(Expr::Lit(0))]), "{least}");
        assert!(least.globals.is_empty() && least.preamble.is_empty());
    }

    #[test]
    fn keeps_to_its_budget() {
        let large = program(1, 2, Purpose::Safety);
        let mut trials = 0;
        shrink(&large, 7, |_| {
            trials += 1;
            false
        });
        assert_eq!(trials, 7);
    }
}
