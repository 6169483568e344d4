//! Temporal properties.

use super::*;

impl Printer<'_> {
    pub(super) fn properties(&self, out: &mut String) -> fmt::Result {
        for property in &self.program.properties {
            write!(out, "\nproperty {} ", plain(&property.name))?;
            if let Some(each) = &property.each {
                write!(out, "forall {} {} ", self.procedure(each.procedure), plain(&each.variable))?;
            }
            writeln!(out, "{{")?;
            for prop in &property.props {
                let expr = self.expr(&prop.expr, Scope::Program, 0);
                writeln!(out, "  prop {} = {expr};", quote(&prop.text, '"'))?;
            }
            match &property.kind {
                PropertyKind::Formula(formula) => {
                    writeln!(out, "  formula {};", quote(&formula.to_string(), '"'))?;
                }
                PropertyKind::Claim(claim) => claim_text(out, claim)?,
            }
            writeln!(out, "}}")?;
        }
        Ok(())
    }
}

fn claim_text(out: &mut String, claim: &ltl::Automaton) -> fmt::Result {
    writeln!(out, "  claim {} sets {} {{", claim.initial.0, claim.sets)?;
    for edges in &claim.edges {
        writeln!(out, "    state {{")?;
        for edge in edges {
            let literals = edge.cube.literals();
            let literals =
                join(literals.map(|(prop, sign)| format!("{}{}", if sign { "" } else { "!" }, prop.0)));
            let marks = (0..ltl::Marks::LIMIT).filter(|&set| edge.marks.contains(ltl::Marks::one(set)));
            writeln!(
                out,
                "      goto {} if {{{literals}}} marks {{{}}};",
                edge.to.0,
                join(marks.map(|set| set.to_string()))
            )?;
        }
        writeln!(out, "    }}")?;
    }
    writeln!(out, "  }}")
}
