
C
xPlaceholder*$
shape:ÿÿÿÿÿÿÿÿÿ*
dtype0
9
nConst*
dtype0* 
valueB:ÿÿÿÿÿÿÿÿÿ

yReshapexn